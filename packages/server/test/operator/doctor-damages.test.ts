import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { person, startServer } from '../api/start-server.js';
import { poll } from '../poll.js';
import { scratchFolder } from '../scratch-folder.js';
import { damageVisits, withVisits } from './damaged-database.js';
import {
  command,
  expectNoErrorsOfDoctor,
  newSettings,
  pathOf,
  refusalOf,
  succeed,
} from './server-process.js';

let folder: string;

/** Creates a database with two links, a QR code, and visits. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shorty-damages-'));
  const api = await startServer({ databaseUrl: `file:${sound()}` });
  const create = (customSlug: string) =>
    api.call('createUrl', { body: { targetUrl: 'https://example.com/', customSlug } });
  const { data: link } = await create('first');
  await create('second');
  await api.call('createQr', { body: { urlId: link.id } });
  for (const path of ['first', 'first', link.shortCode]) {
    await api.visit(`/${path}`, { headers: person });
  }
  const clicks = async () => (await api.getLink(link.id)).clickCount;
  await poll('stored clicks', clicks, (count) => count === 3);
  await api.stop();
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sound = () => join(folder, 'shorty.db');

/** Returns the settings of a copy of the database, and its path. */
function copy() {
  const settings = newSettings();
  const path = pathOf(settings);
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

it('doctor finds and heals counters, and an index that misses a row', async () => {
  const { settings, path } = copy();
  await expectNoErrorsOfDoctor(settings);
  execute(
    path,
    'update url_clicks set clicks = 9',
    'update qr_counts set scans = 9',
    'update organizations set active_urls = 9',
  );
  changeWithoutIndex(path, 'urls_by_organization', 'update urls set created_at = created_at + 1');
  const index = await command(settings, 'doctor', '--check');
  expect(index).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('In the database file: '),
  });
  const repaired = await succeed(settings, 'doctor');
  for (const report of [
    'its counter is 9, but it has 3 clicks',
    'its counter is 9, but it has 1 scan.',
    'but it has 2 active links',
  ]) {
    expect(repaired).toContain(report);
  }
  expect(repaired).toMatch(/Repaired \d+ errors?\.\n$/);
  execute(path, 'delete from url_clicks');
  expect(await succeed(settings, 'doctor')).toContain('its counter is 0, but it has 3 clicks');
  await expectNoErrorsOfDoctor(settings);
});

it('doctor reports a row without its owner, which it cannot heal', async () => {
  const { settings, path } = copy();
  execute(path, 'delete from urls where id = 1');
  const found = await command(settings, 'doctor');
  expect(found).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('refers to a missing row of urls'),
  });
  expect(found.stdout).not.toContain('agree');
});

it('doctor and backup stop at a damaged page, and ask for a backup', async () => {
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
  for (const args of [['doctor'], ['backup', `${path}.backup`]]) {
    const refusal = await refusalOf(settings, ...args);
    expect(refusal).toContain(path);
    expect(refusal).toContain('is damaged: restore a backup (docs/backups.md)');
  }
});

const lost =
  /Organization \S+: 6 visits of links 1 to 2, from 2030-01-01T00:00:00\.000Z to 2030-01-01T02:00:00\.000Z/;

it('doctor names a damaged row by its links and times, and discards it', async () => {
  const settings = await withVisits();
  damageVisits(settings, 300);
  const { code, stdout, stderr } = await command(settings, 'doctor');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(new RegExp(`${lost.source}, cannot be read\\.`));
  // The counters of the links are not changed to what can be read.
  expect(stdout).not.toMatch(/Link \d: its counter|Repaired|agree/);

  const file = join(scratchFolder(), 'copy.backup');
  const backup = await command(settings, 'backup', file);
  expect(backup.code).toBe(1);
  expect(backup.stdout).toContain('bytes, with damaged visits.\n');
  expect(backup.stderr).toContain('shorty-server doctor --check');
  expect(readdirSync(dirname(file))).toContain('copy.backup');

  const discarded = await succeed(settings, 'doctor', '--discard', '1');
  expect(discarded).toMatch(new RegExp(`^Deleted row 1\\. Lost: ${lost.source}`));
  expect(await succeed(settings, 'doctor')).toContain('Repaired');
  const again = await refusalOf(settings, 'doctor', '--discard', '1');
  expect(again).toContain('--discard 1: no unreadable row has this name');
});
