import { type SelectQueryBuilder, sql } from 'kysely';
import { batchReads } from './batch-reads.js';
import type { Database } from './database.js';
import { prepare } from './prepared.js';

// These reads leave connections to writes and to other reads.
const batchLimits = { concurrency: 2, maxKeys: 256 };

/**
 * Returns a function that reads the row whose `column` has a key; `query` selects the column as `key`. On
 * PostgreSQL, where a statement costs more than its rows, the calls of one turn of the event loop share a
 * statement.
 */
export function readByKey<Tables, From extends keyof Tables, Row extends { readonly key: string }>(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  query: SelectQueryBuilder<Tables, From, Row>,
  column: string,
): (key: string) => Promise<Row | undefined> {
  if (engine === 'sqlite') {
    const one = prepare((wanted: { key: string }) =>
      query.where(sql<boolean>`${sql.ref(column)} = ${wanted.key}`),
    );
    return async (key) => (await read.executeQuery(one({ key }))).rows[0];
  }
  const many = prepare((wanted: { keys: readonly string[] }) =>
    query.where(sql<boolean>`${sql.ref(column)} = any(${wanted.keys}::text[])`),
  );
  const readMany = async (keys: readonly string[]) => {
    const { rows } = await read.executeQuery(many({ keys: [...new Set(keys)] }));
    const found = new Map(rows.map((row) => [row.key, row]));
    return keys.map((key) => found.get(key));
  };
  return batchReads({ readMany, ...batchLimits });
}
