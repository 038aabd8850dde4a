import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SqliteHandle from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import type { Credentials } from '../../src/auth/auth-service.js';
import { createServer } from '../../src/create-server.js';
import { openStorage } from '../../src/storage/open-storage.js';

interface Released {
  readonly credentials: Credentials;
  /** What the version's API answered, by path. */
  readonly responses: Readonly<Record<string, object>>;
}

const folder = new URL('./released/', import.meta.url);
const versions = readdirSync(folder)
  .filter((name) => name.endsWith('.db.gz'))
  .map((name) => name.replace('.db.gz', ''));

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'shorty-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function migrate(path: string): Promise<void> {
  const database = openStorage({ databaseUrl: `file:${path}`, durability: 'process' });
  await database.migrate();
  await database.close();
}

/** Tables with their columns and keys, indexes and triggers, whichever statements made them. */
function describeSchema(path: string) {
  const database = new SqliteHandle(path, { readonly: true });
  try {
    const rows = (sql: string) => database.prepare<[], Record<string, unknown>>(sql).all();
    const tables = rows(
      "select name, type, wr from pragma_table_list where name not like 'sqlite_%'",
    );
    return {
      tables: tables
        .map((table) => ({
          ...table,
          columns: rows(
            `select name, type, "notnull", dflt_value, pk from pragma_table_xinfo('${table.name}')`,
          ),
          references: rows(
            `select "from", "table", "to" from pragma_foreign_key_list('${table.name}')`,
          ),
        }))
        .sort(byName),
      indexesAndTriggers: rows(
        "select name, type, tbl_name, sql from sqlite_master where type in ('index', 'trigger')",
      ).sort(byName),
      migrations: rows('select name from kysely_migration'),
    };
  } finally {
    database.close();
  }
}

function byName(a: Record<string, unknown>, b: Record<string, unknown>): number {
  return String(a.name) < String(b.name) ? -1 : 1;
}

it('knows a database of version 0.1.0', () => {
  expect(versions).toContain('0.1.0');
});

it.each(versions)(
  'migrates a database of version %s, and its records read as before',
  async (version) => {
    const path = join(temporaryFolder(), 'shorty.db');
    writeFileSync(path, gunzipSync(readFileSync(new URL(`${version}.db.gz`, folder))));
    const { credentials, responses } = JSON.parse(
      readFileSync(new URL(`${version}.json`, folder), 'utf8'),
    ) as Released;
    await migrate(path);
    const fresh = join(temporaryFolder(), 'shorty.db');
    await migrate(fresh);
    expect(describeSchema(path)).toEqual(describeSchema(fresh));

    const server = createServer({ databaseUrl: `file:${path}`, shortDomain: 'sho.example' });
    await server.start();
    onTestFinished(() => server.stop());
    const api = `${server.url}/api/v1`;
    const token = await fetch(`${api}/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    const { data } = (await token.json()) as { data: { accessToken: string } };
    for (const [path, expected] of Object.entries(responses)) {
      const response = await fetch(api + path, {
        headers: { authorization: `Bearer ${data.accessToken}` },
      });
      const body = (await response.json()) as { data: object };
      expect(body.data, path).toMatchObject(expected);
    }
  },
);
