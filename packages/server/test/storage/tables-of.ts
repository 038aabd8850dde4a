import { sql } from 'kysely';
import type { Database } from '../../src/storage/database.js';

// Each API call and each wrong secret changes them.
export const changing: readonly string[] = ['usage_meters', 'journal_positions', 'attempts'];

/** The rows of each table. */
export type Rows = Readonly<Record<string, readonly string[]>>;

/** Returns all rows of all tables as JSON, except some. */
export async function tablesOf({ read }: Database, except = changing): Promise<Rows> {
  const rows: Record<string, readonly string[]> = {};
  for (const { name } of await read.introspection.getTables()) {
    if (except.includes(name)) continue;
    const found = await sql`select * from ${sql.table(name)}`.execute(read);
    // PostgreSQL moves a row that is written.
    rows[name] = found.rows.map((row) => JSON.stringify(row)).sort();
  }
  return rows;
}
