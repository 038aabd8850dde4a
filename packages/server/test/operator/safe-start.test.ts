import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { root } from '../../../../scripts/bootstrap.mjs';
import { keyIdOf } from '../../src/storage/keyring.js';
import { migrationNames } from '../storage/migration-names.js';
import {
  call,
  newDatabase,
  newSettings,
  pathOf,
  refusalOf,
  type Settings,
  serve,
  stop,
  succeed,
  tokenOf,
} from './server-process.js';

function execute(settings: Settings, statements: string): void {
  const handle = new SqliteHandle(pathOf(settings), { fileMustExist: true, timeout: 5_000 });
  handle.exec(statements);
  handle.close();
}

describe('a second server on a SQLite file', () => {
  it('does not start, names the first one, and commands work beside that', async () => {
    const settings = newSettings();
    const first = await serve(settings);
    const refusal = await refusalOf(settings, 'start');
    const [line = ''] = refusal.match(/^shorty-server: .*$/m) ?? [];
    expect(line).toContain(`another server uses the database ${pathOf(settings)} (process `);
    expect(line).toContain(`(process ${first.child.pid} on ${hostname()}, since 20`);
    const args = ['--name', 'Acme', '--plan', 'free', '--json'];
    const made = await succeed(settings, 'orgs', 'create', ...args);
    const token = await tokenOf(first.origin, JSON.parse(made));
    expect((await call(first.origin, token, '/urls')).status).toBe(200);
    await succeed(settings, 'backup', join(dirname(pathOf(settings)), 'copy.backup'));
  });

  it('does not start under another name of the file, and commands use the same key there', async () => {
    const settings = newSettings();
    const first = await serve(settings);
    const path = pathOf(settings);
    const folder = dirname(path);
    symlinkSync(folder, `${folder}-link`);
    symlinkSync('shorty.db', join(folder, 'link.db'));
    const linked = {
      ...settings,
      SHORTY_DATABASE_URL: `file:${join(`${folder}-link`, 'link.db')}`,
    };
    expect(await refusalOf(linked, 'start')).toContain(
      `(process ${first.child.pid} on ${hostname()}, since 20`,
    );
    const copy = join(folder, 'copy.backup');
    await succeed(linked, 'backup', copy);
    expect(readFileSync(`${copy}.key`, 'utf8')).toBe(readFileSync(`${path}.key`, 'utf8'));
    expect(readdirSync(folder).filter((name) => name.startsWith('link.db'))).toEqual(['link.db']);
  });

  it('starts once when three start at the same moment', async () => {
    const settings = newSettings();
    const started = await Promise.allSettled([1, 2, 3].map(() => serve(settings)));
    expect(started.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    for (const each of started) {
      if (each.status === 'rejected') expect(String(each.reason)).toContain('another server uses');
    }
    expect(JSON.parse(await succeed(settings, 'orgs', 'list', '--json'))).toHaveLength(1);
  });
});

describe('a path without a database', () => {
  it.each([['doctor'], ['backup', 'any.db']])(
    '%s %s is an error that names it, and creates no file',
    async (...args) => {
      const settings = newSettings();
      const refusal = await refusalOf(settings, ...args);
      expect(refusal).toContain(`there is no database at ${pathOf(settings)}`);
      expect(refusal.split('\n')).toHaveLength(2);
      expect(existsSync(dirname(pathOf(settings)))).toBe(false);
    },
  );
});

describe('a path with something else', () => {
  const all = [['start'], ['orgs', 'list']];
  const others: readonly [string, (path: string) => void, RegExp, typeof all][] = [
    ['a folder', (path) => mkdirSync(path), /it is a folder, and must be the path of a file/, all],
    [
      'a text file',
      (path) => writeFileSync(path, 'hello'.repeat(9)),
      /not a database; if the path is right, the file is damaged: restore a backup/,
      all,
    ],
    [
      'the database of another program',
      (path) => new SqliteHandle(path).exec('create table notes (id)').close(),
      /it is the database of another program \(with the table notes\): use another path/,
      all,
    ],
    // The first start creates a database in it.
    ['an empty file', (path) => writeFileSync(path, ''), /shorty\.db is empty: /, all.slice(1)],
  ];
  it.each(others)('%s is named by each command, and stays as it is', async (...args) => {
    const [, create, reason, commands] = args;
    const settings = newSettings();
    const path = pathOf(settings);
    mkdirSync(dirname(path));
    create(path);
    const before = existsSync(join(path, '.')) ? undefined : readFileSync(path);
    for (const args of commands) {
      const refusal = await refusalOf(settings, ...args);
      expect(refusal).toMatch(reason);
      expect(refusal).toContain(path);
      expect(refusal.split('\n')).toHaveLength(2);
    }
    if (before) expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(dirname(path))).toEqual(['shorty.db']);
  });
});

describe('a database of another version', () => {
  it('of a newer one stops every command with one sentence, and is not changed', async () => {
    const settings = await newDatabase();
    execute(settings, "insert into kysely_migration values ('0999-future', '2030-01-01')");
    for (const args of [['start'], ['migrate'], ['orgs', 'list']]) {
      const refusal = await refusalOf(settings, ...args);
      expect(refusal).toMatch(/^shorty-server: .*\n$/);
      expect(refusal).toContain('it has the version 0999-future');
      expect(refusal).toContain(`reads versions up to ${migrationNames.at(-1)}`);
      expect(refusal).toContain('docs/upgrading.md');
    }
  });

  it('of an earlier one is migrated by migrate, and by no other command', async () => {
    const settings = await newDatabase();
    const last = migrationNames.at(-1) as string;
    execute(settings, `delete from kysely_migration where name = '${last}'`);
    for (const args of [['doctor'], ['orgs', 'list']]) {
      const refusal = await refusalOf(settings, ...args);
      expect(refusal).toContain(`it has an earlier version (${last} not applied)`);
      expect(refusal).toContain('run shorty-server migrate first');
    }
  });
});

it('a database whose secret key is lost is served after what the key protected is deleted', async () => {
  const settings = newSettings();
  const server = await serve(settings);
  await stop(server);
  writeFileSync(`${pathOf(settings)}.key`, 'the-key-of-another-database');
  expect(await refusalOf(settings, 'start')).toContain(
    `and ${pathOf(settings)}.key is the key ${keyIdOf('the-key-of-another-database')}: set the`,
  );
  rmSync(`${pathOf(settings)}.key`);
  const refusal = await refusalOf(settings, 'start');
  expect(refusal).toContain(`${pathOf(settings)}.key is missing, and secrets are encrypted`);
  expect(refusal).toContain('"If the key is lost" in docs/backups.md');
  expect(existsSync(`${pathOf(settings)}.key`)).toBe(false);
  const guide = readFileSync(join(root, 'docs/backups.md'), 'utf8');
  const [, statements = ''] = /### If the key is lost\n.*?```sql\n(.*?)```/s.exec(guide) ?? [];
  execute(settings, statements);
  await serve(settings);
});

it('a database is not served with another key, until secrets rotate has replaced the old one', async () => {
  const keys = ['first-key-of-the-installation', 'second-key-of-the-installation'] as const;
  const [first, second] = keys.map((key) => keyIdOf(key));
  const settings = newSettings();
  const withKey = (key: string) => ({ ...settings, SHORTY_SECRET_KEY: key });
  const old = await serve(withKey(keys[0]));
  await stop(old);

  const refusal = new RegExp(
    `^shorty-server: stored secrets are encrypted under the key ${first}, .*\\n$`,
    'm',
  );
  expect(await refusalOf(withKey(keys[1]), 'start')).toMatch(refusal);
  const both = { ...withKey(keys[1]), SHORTY_SECRET_KEY_PREVIOUS: keys[0] };
  expect(await succeed(both, 'secrets', 'rotate')).toBe(
    `Encrypted 1 secret under the key ${second}. SHORTY_SECRET_KEY_PREVIOUS can be removed.\n`,
  );
  await serve(withKey(keys[1]));
});

it('names variables that look like settings and are none', async () => {
  const server = await serve({
    ...newSettings(),
    SHORTY_RATE_LIMT: '10',
    SHORTY_SOMETHING_ELSE: '1',
    shorty_log_level: 'silent',
    SHORTY_PORT: '3000',
    SHORTY_RATE_LIMIT_FILE: '/run/secrets/limit',
    // Kubernetes sets such variables, and the CLI has the second one.
    SHORTY_SERVICE_HOST: '10.0.0.1',
    SHORTY_POSTGRES_PORT_5432_TCP_ADDR: '10.0.0.2',
    SHORTY_PORT_3000_TCP_ADDR: '10.0.0.1',
    SHORTY_POSTGRES_PORT: 'tcp://10.0.0.2:5432',
    SHORTY_PROFILE: 'work',
  });
  const { stderr } = await stop(server);
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const unknown = lines.filter(({ msg }) => msg === 'unknown setting in the environment');
  expect(unknown.map(({ name }) => name)).toEqual([
    'SHORTY_RATE_LIMT',
    'SHORTY_SOMETHING_ELSE',
    'shorty_log_level',
    'SHORTY_PORT',
    'SHORTY_RATE_LIMIT_FILE',
  ]);
});
