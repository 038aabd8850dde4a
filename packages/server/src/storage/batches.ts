import { type Kysely, type RawBuilder, sql } from 'kysely';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import type { Schema, Value } from './database.js';

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
  columns = sql`own.*`,
): AsyncGenerator<readonly R[]> {
  const refs = key.map((column) => sql.ref(`own.${column}`));
  const order = sql`order by ${sql.join(refs)} limit ${rowsAtOnce}`;
  // The conditions of the rows that are left, the last one first.
  let rest = [sql`true`];
  for (let condition = rest.pop(); condition; condition = rest.pop()) {
    const { rows } = await sql<R>`select ${columns} ${from} and ${condition} ${order}`.execute(db);
    const end = rows.at(-1);
    if (end) yield rows;
    if (!end || rows.length < rowsAtOnce) continue;
    // A comparison of rows would read all rows with the same first column again: SQLite looks up only that
    // in an index.
    rest = key.map((column, at) => {
      const same = key.slice(0, at).map((each, other) => sql`${refs[other]} = ${end[each]}`);
      return sql`${sql.join([...same, sql`${refs[at]} > ${end[column]}`], sql` and `)}`;
    });
  }
}

/**
 * Calls `runBatch` until no rows are left or the signal aborts. It must change up to `size` rows in a
 * write of its own and return their number. Redirects are served between batches. Returns the number
 * of all rows.
 */
export async function runInBatches(
  size: number,
  runBatch: () => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let changed = size; changed === size && !signal?.aborted; ) {
    changed = await runBatch();
    total += changed;
    await yieldToEventLoop();
  }
  return total;
}
