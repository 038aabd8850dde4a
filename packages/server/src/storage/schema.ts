import type { RowOf } from './columns.js';
import { baselineTables, compositeKeys } from './migrations/baseline-tables.js';

/** The tables after the latest migration, the same on every engine. */
export const tables = {
  ...baselineTables,
  events: {
    ...baselineTables.events,
    /** The webhooks, as JSON, whose deliveries are still to be written. */
    webhook_ids: 'text',
  },
} as const;

/** The tables for queries. */
export type Schema = { [Table in keyof typeof tables]: RowOf<(typeof tables)[Table]> };

/** Returns the columns that order the rows of a table: its primary key, if it has one. */
export function keyOf(table: keyof Schema): readonly string[] {
  return compositeKeys[table] ?? Object.keys(tables[table]).slice(0, 1);
}
