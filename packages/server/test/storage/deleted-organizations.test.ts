import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteHandle from 'better-sqlite3';
import { type CompiledQuery, sql } from 'kysely';
import { v7 as newUuid } from 'uuid';
import { expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { deleteOrganizations } from '../../src/deletion/delete-organization.js';
import { createOrganizationRepository } from '../../src/organizations/organization-repository.js';
import type { Database, Schema } from '../../src/storage/database.js';
import { findDatabaseFile } from '../../src/storage/locate-database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { definitionOf, keyOf, type Owner, ownerOf, tableNames } from '../../src/storage/schema.js';
import { bulkInsert } from '../../src/storage/statements.js';
import { emptyDatabase, engine } from '../engine.js';
import { filesWith, rowsWith } from './rows-with.js';
import { explain, recordStatements } from './statement-plans.js';

type Table = keyof Schema;

const allTables = tableNames;
const ownedTables = allTables.filter((table) => ownerOf(table) !== undefined);
// More than one transaction deletes.
const rowsPerTable = 120;

/** Returns the number of rows of a tenant. A table whose key is the organization has one. */
function rowsOf(table: Table): number {
  const owner = ownerOf(table);
  const isOne = owner?.parent === 'organizations' && keyOf(table)[0] === owner.column;
  return isOne ? 1 : rowsPerTable;
}

/** A tenant with rows in every table. Each of its texts contains the mark. */
interface Tenant {
  readonly id: string;
  readonly mark: string;
  readonly ids: Readonly<Record<string, readonly (string | number)[]>>;
}

let nextNumber = 0;

/** Fills every table of the schema, also those that are added to it later. */
const fail = (error: unknown) => {
  throw error;
};

async function addTenant(database: Database, mark: string): Promise<Tenant> {
  const id = newUuid();
  const ids: Record<string, (string | number)[]> = { organizations: [id] };
  await database.writeDirectly(async (transaction) => {
    const organization = { id, name: `${mark} Ltd`, plan: 'scale', created_at: 1 };
    await transaction.insertInto('organizations').values(organization).execute();
    for (const table of ownedTables) {
      const rows = Array.from({ length: rowsOf(table) }, (_, at) => {
        nextNumber += 1;
        return Object.fromEntries(
          Object.entries(definitionOf(table).columns).map(([name, definition]) => [
            name,
            cellOf(table, name, definition, at),
          ]),
        );
      });
      ids[table] = rows.map((row) => row.id as string | number);
      await bulkInsert(transaction, table, rows as never[]);
    }
    const { last } = await transaction
      .selectFrom('urls')
      .select(({ fn }) => fn.max('id').as('last'))
      .executeTakeFirstOrThrow();
    await transaction.updateTable('url_id_counter').set({ last_id: last }).execute();
  });
  return { id, mark, ids };

  function cellOf(table: Table, name: string, definition: string, at: number) {
    const owner = ownerOf(table);
    const parent = owner?.column === name ? owner.parent : undefined;
    const referenced = parent ?? /references (\w+) /.exec(definition)?.[1];
    const known = referenced === undefined ? undefined : ids[referenced];
    if (known) return known[at % known.length] as string | number;
    if (definition.startsWith('text')) return `${mark}-${nextNumber}`;
    if (definition.startsWith('bytes')) return Buffer.from(mark);
    return nextNumber;
  }
}

async function openFilled() {
  const empty = await emptyDatabase();
  const database = openStorage({ databaseUrl: empty.databaseUrl, durability: 'process' });
  await database.migrate();
  onTestFinished(async () => {
    await database.close();
    await empty.remove();
  });
  const doomed = await addTenant(database, 'zebrafish');
  const other = await addTenant(database, 'albatross');
  return { ...empty, database, doomed, other };
}

const confirm = async (database: Database, { id }: Tenant) => {
  const { result } = await createOrganizationRepository(database).markDeleted(id, id, 5, undefined);
  expect(result).toEqual({ id, deletedAt: 5 });
};

/** Returns the rows with the mark, except changes of the last seconds. */
const remainsOf = async (database: Database, { mark }: Tenant) =>
  (await rowsWith(database, mark)).filter((row) => !row.startsWith('cache_changes'));

it('each table of the schema either has an owner, or a reason why it has none', async () => {
  for (const table of allTables) {
    if (table === 'organizations' || definitionOf(table).shared !== undefined) continue;
    expect(ownerOf(table), table).toBeDefined();
  }
});

it('nothing of the organization remains, and everything of another one does', async () => {
  const { database, doomed, other, databaseUrl } = await openFilled();
  const before = await rowsWith(database, other.mark);
  const countAll = async () => {
    const counts: Record<string, number> = {};
    for (const table of ownedTables) {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from ${sql.table(table)}`.execute(database.read);
      counts[table] = Number(rows[0]?.count);
    }
    return counts;
  };
  const filled = (tenants: number) =>
    Object.fromEntries(ownedTables.map((each) => [each, tenants * rowsOf(each)]));
  expect(await countAll()).toEqual(filled(2));
  await confirm(database, doomed);
  await deleteOrganizations(database, fail);
  expect(await countAll()).toEqual(filled(1));
  expect(await remainsOf(database, doomed)).toEqual([]);
  const after = await rowsWith(database, other.mark);
  expect(after).toEqual(before);
  // The id remains in the hashes of keys and in the operator's entry only.
  for (const row of await rowsWith(database, doomed.id)) expect(row).toMatch(/^retired_keys: /);
  if (engine() === 'postgres') return;

  const path = findDatabaseFile(databaseUrl) as string;
  await database.close();
  const handle = new SqliteHandle(path);
  handle.exec('vacuum');
  handle.close();
  expect(filesWith(dirname(path), doomed.mark)).toEqual([]);
});

it('a deletion finds the rows of every table by an index of their owner', async () => {
  const { database, doomed } = await openFilled();
  await confirm(database, doomed);
  const statements = new Map<string, CompiledQuery>();
  await deleteOrganizations(recordStatements(database, statements), fail);
  const plans = await explain(database, [...statements.values()]);
  for (const table of ownedTables) {
    const { column } = ownerOf(table) as Owner;
    const byOwner = new RegExp(`select "[^;]* from "${table}"\\s+where "${column}" in`);
    const found = plans.filter(({ text }) => byOwner.test(text));
    expect(found, table).not.toEqual([]);
    for (const { conditions } of found) {
      expect(conditions, table).toContainEqual(expect.stringMatching(`${column}|rowid`));
    }
  }
  // Tables of one row, and changes of the last seconds.
  const small = /\b(url_id_counter|link_policy|cache_changes)\b/;
  const reading = plans.filter(({ conditions }) => conditions.includes(undefined));
  expect(reading.map(({ text }) => text).filter((text) => !small.test(text))).toEqual([]);
});

it('the tables of the schema are all tables of the database', async () => {
  const { database } = await openFilled();
  const found = await database.read.introspection.getTables();
  const own = found.map(({ name }) => name).filter((name) => !name.startsWith('kysely_'));
  // Tables of nodes that have no data of organizations but hostnames.
  const others = own.filter((name) => !/^(cache_changes$|installation_keys$|sqlite_)/.test(name));
  expect(others.sort()).toEqual([...allTables].sort());
  expect(keyOf('retired_keys')).toEqual(['key_hash']);
});

it('a deletion whose server is killed is continued by the next one', async () => {
  const { database, databaseUrl, doomed, other } = await openFilled();
  const before = (await rowsWith(database, other.mark)).length;
  const preload = fileURLToPath(new URL('./kill-at-statement.mjs', import.meta.url));
  await confirm(database, doomed);
  await build();
  const dist = new URL('../../dist', import.meta.url).href;
  const program = `
    import { deleteOrganizations } from '${dist}/deletion/delete-organization.js';
    import { openStorage } from '${dist}/storage/open-storage.js';
    const database = openStorage({ databaseUrl: '${databaseUrl}', durability: 'process' });
    await deleteOrganizations(database, console.error);`;
  // In the order of the deletion.
  for (const table of ['url_keys', 'organizations']) {
    const env = { ...process.env, KILL_AT: `delete from "${table}"` };
    const args = ['--import', preload, '--input-type=module', '--eval', program];
    expect(spawnSync(process.execPath, args, { env }).signal, table).toBe('SIGKILL');
  }
  expect((await createOrganizationRepository(database).find(doomed.id))?.deletedAt).toBe(5);
  await deleteOrganizations(database, fail);
  expect(await remainsOf(database, doomed)).toEqual([]);
  expect((await rowsWith(database, other.mark)).length).toBe(before);
});
