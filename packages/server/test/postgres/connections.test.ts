import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { ConfigError } from '../../src/config-error.js';
import { isOperatorError } from '../../src/operations/commands/open-database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { requireVersion } from '../../src/storage/postgres/check-server.js';
import { openRepository } from '../storage/temporary-database.js';

const { adminUrl } = inject('postgres') ?? { adminUrl: '' };
const urlOf = (database: string) => adminUrl.replace(/[^/]+$/, database);

async function administer(statements: readonly string[], database = 'postgres'): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  try {
    for (const each of statements) await client.query(each);
  } finally {
    await client.end();
  }
}

/** Returns the name of a new database, which is dropped after the test. */
async function newDatabase(options: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer([`create database ${name} ${options}`]);
  onTestFinished(() => administer([`drop database ${name} with (force)`]));
  return name;
}

function open(databaseUrl: string) {
  const database = openStorage({ databaseUrl, durability: 'process' });
  onTestFinished(() => database.close());
  return database;
}

it('a database with another encoding is refused', async () => {
  const name = await newDatabase("encoding 'SQL_ASCII' template template0");
  const database = open(urlOf(name));
  for (const use of [() => database.migrate(), () => database.findVersionProblem()]) {
    const refused: Promise<unknown> = use();
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(
      `the database ${name} has the encoding SQL_ASCII, and must have UTF8`,
    );
  }
});

it('a server before version 15 is refused', () => {
  expect(() => requireVersion('14.20 (Debian 14.20-1)')).toThrow(ConfigError);
  expect(() => requireVersion('14.20')).toThrow('is PostgreSQL 14.20, and must be version 15');
  for (const version of ['15.0', '15.4 (Debian 15.4-1)', '18beta1', '18.1']) {
    requireVersion(version);
  }
});

it('a role that may not create tables is refused with the statement that helps', async () => {
  const name = await newDatabase('');
  const role = `role_${name}`;
  await administer([`create role ${role} login password 'secret'`]);
  const url = urlOf(name).replace(/\/\/[^@]+@/, `//${role}:secret@`);
  const refused = open(url).migrate();
  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toThrow(
    `the role ${role} may not create or change tables in the database ${name} (permission denied for schema public)`,
  );
  const [, statement = ''] =
    /run as the owner: (.*)$/.exec(
      (await refused.catch((error: Error) => error.message)) as string,
    ) ?? [];
  await administer([statement], name);
  await open(url).migrate();
  onTestFinished(() =>
    administer([`drop owned by ${role}`], name).then(() => administer([`drop role ${role}`])),
  );
});

it('an empty database is named, and no table is created', async () => {
  const name = await newDatabase('');
  const database = open(urlOf(name));
  expect(await database.findVersionProblem()).toMatch(/^it has no tables: /);
  expect(await database.read.introspection.getTables()).toEqual([]);
});

async function errorOf(databaseUrl: string): Promise<Error> {
  return open(databaseUrl)
    .migrate()
    .then(
      () => new Error('the connection was accepted'),
      (error) => error,
    );
}

it.each([
  [
    'a wrong password',
    adminUrl.replace(/:[^:@]+@/, ':wrong@'),
    /^SHORTY_DATABASE_URL: PostgreSQL refused the password of user \w+: /,
  ],
  [
    'no such database',
    adminUrl.replace(/[^/]+$/, 'nowhere'),
    /PostgreSQL has no database nowhere: create it/,
  ],
  ['no server', adminUrl.replace(/:\d+\//, ':1/'), /no PostgreSQL listens on [^ ]+:1: start it/],
])('%s gives a temporary error of one line', async (_what, url, reason) => {
  const error = await errorOf(url);
  expect(error.name).toBe('StorageUnavailableError');
  expect(error.message).toMatch(reason);
  expect(isOperatorError(error)).toBe(true);
});

it('closes a connection that has prepared many different statements', async () => {
  const stored = await openRepository();
  onTestFinished(() => stored.close());
  for (let turn = 0; turn < 20; turn += 1) {
    const statements = await stored.database.read.connection().execute(async (db) => {
      for (let at = 0; at < 100; at += 1) {
        await sql`select ${sql.lit(turn * 100 + at)} + ${1}::integer`.execute(db);
      }
      const { rows } = await sql<{ statement: string }>`
        select statement from pg_prepared_statements`.execute(db);
      return rows.map(({ statement }) => statement);
    });
    expect(statements.length).toBeLessThan(700);
    // Many others before it do not take its place.
    expect(statements).toContain(`select ${turn * 100} + $1::integer`);
  }
});
