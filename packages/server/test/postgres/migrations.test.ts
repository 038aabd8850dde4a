import type { Kysely, TableMetadata } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.js';
import { keyOf, type Schema, tableNames } from '../../src/storage/schema.js';
import { emptyDatabase } from '../engine.js';
import { migrationNames } from '../storage/migration-names.js';

/** The engines' names of types and their common meaning. */
const meanings: Readonly<Record<string, string>> = {
  // SQLite's integers have eight bytes under any name.
  integer: 'whole number',
  bigint: 'whole number',
  int4: 'whole number',
  int8: 'whole number',
  'double precision': 'number',
  float8: 'number',
  text: 'text',
  blob: 'bytes',
  bytea: 'bytes',
};

/** The tables that only several nodes on one database need. */
const nodeTables = ['cache_changes', 'installation_keys'];

async function tablesOf(db: Kysely<Schema>) {
  const tables = await db.introspection.getTables();
  return tables
    .filter(({ name }) => !name.startsWith('sqlite_') && !/_\d{4}_\d\d$/.test(name))
    .filter(({ name }) => !nodeTables.includes(name))
    .map(describeTable)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function describeTable({ name: table, columns }: TableMetadata) {
  // SQLite reports its keys as nullable.
  const key = keyOf(table as keyof Schema);
  return {
    name: table,
    columns: columns
      .map(({ name, dataType, isNullable }) => {
        const meaning = meanings[dataType.toLowerCase()];
        if (meaning === undefined) throw new Error(`${name} is ${dataType}`);
        return `${name}: ${meaning}${isNullable && !key.includes(name) ? ' or null' : ''}`;
      })
      .sort(),
  };
}

/** Opens a migrated PostgreSQL database, and an empty SQLite database. */
async function openBoth() {
  const { databaseUrl, remove } = await emptyDatabase();
  onTestFinished(remove);
  const postgres = openStorage({ databaseUrl, durability: 'process' });
  const sqlite = openStorage({ databaseUrl: ':memory:', durability: 'process' });
  onTestFinished(async () => {
    await postgres.close();
    await sqlite.close();
  });
  return { postgres, sqlite };
}

it('creates the same tables and columns in both engines', async () => {
  const { postgres, sqlite } = await openBoth();
  expect(await postgres.migrate()).toEqual([]);
  expect(await sqlite.migrate()).toEqual(migrationNames);
  const expected = await tablesOf(sqlite.read);
  expect(expected.length).toBeGreaterThan(20);
  expect(await tablesOf(postgres.read)).toEqual(expected);
  expect([...tableNames].sort()).toEqual(expected.map(({ name }) => name));
});

it('creates the same indexes in both engines', async () => {
  const { postgres, sqlite } = await openBoth();
  await sqlite.migrate();
  const inSqlite = await sqlite.read
    .selectFrom('sqlite_master' as never)
    .select(['name' as never])
    .where('type' as never, '=', 'index' as never)
    .where('sql' as never, 'is not', null as never)
    .execute();
  const inPostgres = await postgres.read
    .withSchema('pg_catalog')
    .selectFrom('pg_indexes' as never)
    .select(['indexname as name' as never])
    .where('schemaname' as never, '=', 'public' as never)
    .where('indexname' as never, 'not like', '%_pkey' as never)
    .where('indexname' as never, 'not like', '%_primary' as never)
    // SQLite has only one node.
    .where('tablename' as never, '<>', 'cache_changes' as never)
    .execute();
  const names = (rows: readonly { name?: string }[]) =>
    rows
      .map(({ name = '' }) => name)
      // SQLite scans the links instead.
      .filter((name) => !name.startsWith('kysely') && name !== 'urls_by_search_text');
  expect(names(inPostgres).sort()).toEqual(names(inSqlite).sort());
});

it('creates the tables once when five nodes start at once', async () => {
  const { databaseUrl, remove } = await emptyDatabase({ isMigrated: false });
  onTestFinished(remove);
  const nodes = Array.from({ length: 5 }, () =>
    openStorage({ databaseUrl, durability: 'process' }),
  );
  onTestFinished(async () => {
    for (const node of nodes) await node.close();
  });
  const applied = await Promise.all(nodes.map((node) => node.migrate()));
  expect(applied.flat()).toEqual(migrationNames);
  expect(await nodes[0]?.findVersionProblem()).toBeUndefined();
});
