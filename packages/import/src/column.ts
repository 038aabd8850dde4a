import type { CellOptions, ParseCell } from './cell-values.js';

/** What is not kept of a link of another shortener. */
export interface NotKept {
  /** The name of the column in the file. */
  readonly setting: string;
  readonly reason: string;
}

/** What a cell of another shortener says of the link, or why the row is no link. */
export interface Setting {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly unknown[];
  /** Reasons why parts of the setting are not kept. */
  readonly notKept?: readonly string[];
  /** The old short URL, for its slug and its host. A custom one is preferred. */
  readonly shortUrl?: string | undefined;
  readonly customShortUrl?: string | undefined;
  /** The host of the old short URL. */
  readonly host?: string;
  readonly isPaused?: boolean;
  /** True for a password that the file does not contain. */
  readonly isLocked?: boolean;
  readonly error?: string;
}

export type ReadSetting = (cell: string, options?: CellOptions) => Setting;

/** The use of one column. */
export type Column =
  | { readonly kind: 'field'; readonly name: string; readonly parse: ParseCell }
  | { readonly kind: 'utm'; readonly name: string }
  | {
      readonly kind: 'short URL' | 'domain' | 'paused' | 'password' | 'setting' | 'lost';
      /** Rules of settings with a lower order come first. */
      readonly order: number;
      readonly read: ReadSetting;
      /** Why the setting is lost. */
      readonly reason?: string;
    }
  /** Why an entry of a JSON file is not a link. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'unnamed' }
  | { readonly kind: 'ignored' };
