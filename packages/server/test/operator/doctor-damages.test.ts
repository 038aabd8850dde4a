import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { startServer } from '../api/start-server.js';
import { poll } from '../poll.js';
import { command, newSettings } from './server-process.js';

let folder: string;

/** Creates a database with two links, a QR code, and visits. */
beforeAll(async () => {
  build();
  folder = mkdtempSync(join(tmpdir(), 'shorty-damages-'));
  const api = await startServer({ databaseUrl: `file:${sound()}` });
  const create = (customSlug: string) =>
    api.call('createUrl', { body: { targetUrl: 'https://example.com/', customSlug } });
  const { data: link } = await create('first');
  await create('second');
  await api.call('createQr', { body: { urlId: link.id } });
  for (const path of ['first', 'first', link.shortCode]) {
    await api.visit(`/${path}`, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/128.0' } });
  }
  const clicks = async () =>
    (await api.call('getUrl', { params: { id: link.id } })).data.clickCount;
  await poll('stored clicks', clicks, (count) => count === 3);
  await api.stop();
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sound = () => join(folder, 'shorty.db');

/** Returns the settings of a copy of the database, and its path. */
function copy() {
  const settings = newSettings();
  const path = String(settings.SHORTY_DATABASE_URL).slice('file:'.length);
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(sound(), path);
  copyFileSync(`${sound()}.key`, `${path}.key`);
  return { settings, path };
}

function execute(path: string, ...statements: string[]): void {
  for (const statement of statements) {
    // Each with its own handle, which reads the schema again.
    const handle = new SqliteHandle(path).unsafeMode();
    handle.pragma('foreign_keys = OFF');
    handle.pragma('writable_schema = ON');
    handle.exec(statement);
    handle.close();
  }
}

/** Changes rows while an index is hidden, which then lacks the change. */
function changeWithoutIndex(path: string, index: string, change: string): void {
  const handle = new SqliteHandle(path, { readonly: true });
  const row = handle.prepare('select * from sqlite_schema where name = ?').get(index) as {
    name: string;
    tbl_name: string;
    rootpage: number;
    sql: string;
  };
  handle.close();
  const restore = `insert into sqlite_schema values
    ('index', '${row.name}', '${row.tbl_name}', ${row.rootpage}, '${row.sql}')`;
  execute(path, `delete from sqlite_schema where name = '${index}'`, change, restore);
}

const healed = [
  [
    'a counter of clicks',
    'update url_clicks set clicks = 9',
    'its counter is 9, but it has 3 clicks',
  ],
  [
    'a missing counter of clicks',
    'delete from url_clicks',
    'its counter is 0, but it has 3 clicks',
  ],
  ['a counter of scans', 'update qr_counts set scans = 9', 'its counter is 9, but it has 1 scan.'],
  ['a counter of links', 'update organizations set active_urls = 9', 'but it has 2 active links'],
] as const;

it.each(healed)('doctor finds and heals %s', async (_, statement, report) => {
  const { settings, path } = copy();
  expect(await command(settings, 'doctor', '--check')).toMatchObject({ code: 0, stderr: '' });
  execute(path, statement);
  const found = await command(settings, 'doctor', '--check');
  expect(found).toMatchObject({ code: 1, stdout: expect.stringContaining(report) });
  const repaired = await command(settings, 'doctor');
  expect(repaired).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Repaired \d+ errors?\.\n$/),
  });
  expect(await command(settings, 'doctor', '--check')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Visits and counters agree.'),
  });
});

it('doctor finds and heals an index that misses a row', async () => {
  const { settings, path } = copy();
  changeWithoutIndex(path, 'urls_by_organization', 'update urls set created_at = created_at + 1');
  const found = await command(settings, 'doctor', '--check');
  expect(found).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('In the database file: '),
  });
  expect(await command(settings, 'doctor')).toMatchObject({ code: 0 });
  expect((await command(settings, 'doctor', '--check')).code).toBe(0);
});

const reported = [
  [
    'a row of visits',
    (path: string) => execute(path, `update visits set visits = zeroblob(40)`),
    'cannot be read',
  ],
  [
    'a row without its owner',
    (path: string) => execute(path, 'delete from urls where id = 1'),
    'refers to a missing row of urls',
  ],
] as const;

it.each(reported)('doctor reports %s, which it cannot heal', async (_, damage, report) => {
  const { settings, path } = copy();
  damage(path);
  for (const args of [['--check'], []]) {
    const found = await command(settings, 'doctor', ...args);
    expect(found).toMatchObject({ code: 1, stdout: expect.stringContaining(report) });
    expect(found.stdout).not.toContain('agree');
  }
});

it('doctor stops at a damaged page, and asks for a backup', async () => {
  const { settings, path } = copy();
  const handle = new SqliteHandle(path, { readonly: true });
  const page = handle
    .prepare("select rootpage from sqlite_schema where name = 'visits'")
    .pluck()
    .get();
  handle.close();
  const bytes = 4_096;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(bytes, 0xab), 0, bytes, (Number(page) - 1) * bytes);
  closeSync(file);
  const found = await command(settings, 'doctor');
  expect(found).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is damaged: restore a backup'),
  });
});
