import { sql } from 'kysely';
import type { Database } from '../../src/storage/database.js';

/** Returns all rows of all tables as JSON, except the usage, which each API call changes. */
export async function tablesOf({ read }: Database): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {};
  for (const { name } of await read.introspection.getTables()) {
    if (['usage_meters', 'journal_positions'].includes(name) || name.startsWith('url_search')) {
      continue;
    }
    const found = await sql`select * from ${sql.table(name)}`.execute(read);
    rows[name] = found.rows.map((row) => JSON.stringify(row)).sort();
  }
  return rows;
}
