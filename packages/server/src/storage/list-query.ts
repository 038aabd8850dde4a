import type { RawBuilder, SqlBool } from 'kysely';
import type { PageRange, Position } from '../contract/fields.js';

/** A list of one owner's rows, or of all rows of a table without owners. */
export interface ListQuery extends PageRange {
  readonly table:
    | 'api_keys'
    | 'audit_log'
    | 'clients'
    | 'blocked_hosts'
    | 'organizations'
    | 'takedowns'
    | 'users'
    | 'urls'
    | 'qr_codes'
    | 'webhooks'
    | 'deliveries'
    | 'domains';
  /**
   * The owner's column and its value. The table has an index of (column, `created_at`, `id`) over the
   * rows for which `indexed` is true. A table without owners has one of (`created_at`, `id`).
   */
  readonly owner?: { readonly column: string; readonly value: string | number };
  readonly indexed?: RawBuilder<SqlBool> | undefined;
  /**
   * The index of `owner` and `indexed`, if the table has several that begin with the owner's column.
   * SQLite has no statistics to select it by.
   */
  readonly index?: string | undefined;
  /** Selects among the indexed rows; undefined lists all of them. */
  readonly condition?: RawBuilder<SqlBool> | undefined;
  /** Newest first by default. */
  readonly order?: ListOrder | undefined;
}

/** The order of a list: by a value, then by `id`, both in the same direction. */
export interface ListOrder {
  /** Computes the value, which is never null. `created_at` by default, for which there is an index. */
  readonly key?: RawBuilder<number | string> | undefined;
  readonly direction: 'asc' | 'desc';
}

export interface ListPage<Id> {
  /** Undefined for a page that starts after a position, because the rows are not counted again. */
  readonly total: number | undefined;
  readonly ids: readonly Id[];
  /** The value that orders the list, for each of the ids. */
  readonly keys: readonly (number | string)[];
  /** The position of the last row; undefined when no row follows it. */
  readonly next: Position | undefined;
}
