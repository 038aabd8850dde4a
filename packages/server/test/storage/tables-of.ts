import { sql } from 'kysely';
import type { Database } from '../../src/storage/database.js';

// Each API call and each wrong secret changes them.
const changing = ['usage_meters', 'journal_positions', 'attempts'];

/** The rows of each table. */
export type Rows = Readonly<Record<string, readonly string[]>>;

/** Returns all rows of all tables as JSON, except those of usage and of given tables. */
export async function tablesOf({ read }: Database, except: readonly string[] = []): Promise<Rows> {
  const rows: Record<string, readonly string[]> = {};
  for (const { name } of await read.introspection.getTables()) {
    if (changing.includes(name) || except.includes(name)) continue;
    const found = await sql`select * from ${sql.table(name)}`.execute(read);
    // PostgreSQL moves a row that is written.
    rows[name] = found.rows.map((row) => JSON.stringify(row)).sort();
  }
  return rows;
}
