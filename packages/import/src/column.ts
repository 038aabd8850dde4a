import type { ParseCell } from './cell-values.js';

/** What is not kept of a link of another shortener. */
export interface NotKept {
  /** The name of the column in the file. */
  readonly setting: string;
  readonly reason: string;
}

/** A row of an export. */
export interface SourceRow {
  /** The cells that are not empty, by the names of their columns in `LinkSource.columns`. */
  readonly cells: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What a setting of another shortener becomes, or why the row is no link. */
export type Setting =
  | {
      readonly fields?: Readonly<Record<string, unknown>>;
      readonly rules?: readonly unknown[];
      /** Reasons why parts of the setting are not kept. */
      readonly notKept?: readonly string[];
      /** True for a password that the file does not contain. */
      readonly isLocked?: boolean;
      readonly error?: undefined;
    }
  | { readonly error: string };

export type ReadSetting = (cell: string, row: SourceRow) => Setting;

/** The use of one column. */
export type Column =
  | { readonly kind: 'field'; readonly name: string; readonly parse: ParseCell }
  | { readonly kind: 'utm'; readonly name: string }
  /** The old short URL, for its slug and its host. A custom one is preferred. */
  | { readonly kind: 'shortUrl'; readonly isCustom: boolean }
  /** The host of the old short URL. */
  | { readonly kind: 'domain' }
  /** Whether the link was paused. */
  | { readonly kind: 'paused' }
  /** Whether the link has a password that the file does not contain. */
  | { readonly kind: 'locked' }
  /** A setting that is not a field of Shorty. Rules of settings with a lower order come first. */
  | { readonly kind: 'setting'; readonly order: number; readonly read: ReadSetting }
  /** A setting that Shorty does not have. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** Why an entry of a JSON file is not a link. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'unnamed' }
  /** `isPart`: other columns of the row read it. */
  | { readonly kind: 'ignored'; readonly isPart?: boolean };
