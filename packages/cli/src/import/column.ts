import type { ParseCell } from './cell-values.js';

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
  /** A setting that Shorty does not have. */
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'unnamed' }
  | { readonly kind: 'ignored' };
