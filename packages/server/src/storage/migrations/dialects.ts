import { sql } from 'kysely';

/** The few words that engines spell differently. */
export const dialects = {
  sqlite: {
    // Only a column of exactly this type is SQLite's row id itself.
    integerKey: 'integer',
    // The key is all there is to the row, or all that it is found by: store it once, in key order.
    clustered: sql`without rowid`,
    bytes: 'blob',
  },
} as const;
