import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema, Value } from './database.js';

/** A row as the engines return it. */
export type Row = Readonly<Record<string, Value>>;

// Rows in memory at once: links of up to 10 KB, images of up to 100 KB, or chunks of 60 KB.
export const rowsAtOnce = 200;

/**
 * Yields the rows of a table in batches, in the order of a key.
 *
 * @param from a FROM clause that names the table `own`, and a WHERE clause
 */
export async function* readInBatches<R extends Row = Row>(
  db: Kysely<Schema>,
  from: RawBuilder<unknown>,
  key: readonly string[],
): AsyncGenerator<readonly R[]> {
  const columns = sql.join(key.map((column) => sql.ref(`own.${column}`)));
  let last: readonly Value[] | undefined;
  for (;;) {
    const afterLast = last ? sql`and (${columns}) > (${sql.join(last)})` : sql``;
    const { rows } = await sql<R>`
      select own.* ${from} ${afterLast} order by ${columns} limit ${rowsAtOnce}`.execute(db);
    const end = rows.at(-1);
    if (end) yield rows;
    if (!end || rows.length < rowsAtOnce) return;
    last = key.map((column) => end[column] ?? null);
  }
}
