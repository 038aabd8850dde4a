import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import SqliteHandle from 'better-sqlite3';
import pg from 'pg';
import type { Credentials } from '../../src/auth/auth-service.js';

const folder = new URL('./released/', import.meta.url);

/** The versions with a stored database, oldest first. */
export const releasedVersions = readdirSync(folder)
  .filter((name) => name.endsWith('.db.gz'))
  .map((name) => name.replace('.db.gz', ''))
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

interface Released {
  readonly credentials: Credentials;
  /** The response data of the version's API, by path. */
  readonly responses: Readonly<Record<string, object>>;
}

export function readReleased(version: string): Released {
  return JSON.parse(readFileSync(new URL(`${version}.json`, folder), 'utf8'));
}

/** Writes the SQLite database of a version to a file. */
export function writeReleased(version: string, file: string): void {
  writeFileSync(file, gunzipSync(readFileSync(new URL(`${version}.db.gz`, folder))));
}

/** Returns the names of the migrations in a SQLite file. */
export function migrationsIn(file: string): unknown[] {
  const database = new SqliteHandle(file, { readonly: true });
  try {
    return database.prepare('select name from kysely_migration order by name').pluck().all();
  } finally {
    database.close();
  }
}

/** Creates the tables of version 0.1.0 in an empty PostgreSQL database, with the rows of its SQLite file. */
export async function copyToPostgres(file: string, databaseUrl: string): Promise<void> {
  const source = new SqliteHandle(file, { readonly: true });
  const target = new pg.Client({ connectionString: databaseUrl });
  await target.connect();
  try {
    const tables = new URL('before-0.1.0.postgres.sql', folder);
    await target.query(readFileSync(tables, 'utf8'));
    // Rows come in any order, and triggers do not run.
    await target.query('set session_replication_role = replica');
    for (const table of tablesOf(source)) {
      await target.query(`delete from ${table}`);
      for (const row of source.prepare(`select * from ${table}`).all() as object[]) {
        const columns = Object.keys(row).map((name) => `"${name}"`);
        const places = columns.map((_, index) => `$${index + 1}`);
        await target.query(
          `insert into ${table} (${columns}) values (${places})`,
          Object.values(row),
        );
      }
    }
    await target.query(
      "select setval(pg_get_serial_sequence('visit_batches', 'id'), (select max(id) from visit_batches))",
    );
  } finally {
    source.close();
    await target.end();
  }
}

/** Returns the tables that both engines have. */
function tablesOf(source: SqliteHandle.Database): string[] {
  const statement = source.prepare(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'
       and name not like 'url_search%' and name <> 'kysely_migration_lock'`,
  );
  return statement.pluck().all() as string[];
}
