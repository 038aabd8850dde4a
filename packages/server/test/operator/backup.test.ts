import {
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { person } from '../api/start-server.js';
import { scratchFolder } from '../scratch-folder.js';
import {
  call,
  command,
  credentials,
  newDatabase,
  newSettings,
  pathOf,
  serveWithToken,
  stop,
  tokenOf,
} from './server-process.js';

/** Creates links and visits them, and counts the successful responses. */
class Load {
  readonly created = new Set<string>();
  readonly clicks = new Map<string, number>();
  readonly #origin: string;
  readonly #token: string | number;
  #isOver = false;
  #workers: Promise<void>[] = [];

  constructor(origin: string, token: string | number) {
    this.#origin = origin;
    this.#token = token;
  }

  begin(): void {
    this.#workers = [0, 1, 2, 3].map((worker) => this.#work(worker));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#workers);
  }

  async until(created: number): Promise<void> {
    await expect
      .poll(() => this.created.size, { message: 'created links', timeout: 30_000, interval: 5 })
      .toBeGreaterThanOrEqual(created);
  }

  async #work(worker: number): Promise<void> {
    for (let at = 0; !this.#isOver; at += 1) {
      const customSlug = `made-${worker}-${at}`;
      const body = { targetUrl: 'https://example.com/', customSlug };
      const { status } = await call(this.#origin, this.#token, '/urls', body);
      if (status === 201) this.created.add(customSlug);
      for (let visit = 0; visit < 5; visit += 1) {
        const key = `made-${worker}-${Math.floor(at / (visit + 1))}`;
        if ((await visitOf(this.#origin, key)) !== 307) continue;
        this.clicks.set(key, (this.clicks.get(key) ?? 0) + 1);
      }
    }
  }
}

async function visitOf(origin: string, key: string): Promise<number> {
  const response = await fetch(`${origin}/${key}`, { redirect: 'manual', headers: person });
  return response.status;
}

/** Reads the clicks of every link from the API. */
async function clicksBySlug(origin: string): Promise<Map<string, number>> {
  const token = await tokenOf(origin, credentials);
  const found = new Map<string, number>();
  for (let offset = 0; ; offset += 100) {
    const { data } = await call(origin, token, `/urls?limit=100&offset=${offset}`);
    const items = data.items as { id: string; customSlug: string }[];
    for (const { id, customSlug } of items) {
      const url = await call(origin, token, `/urls/${id}`);
      found.set(customSlug, url.data.clickCount as number);
    }
    if (items.length < 100) return found;
  }
}

async function storedLines(origin: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^shorty_journal_lines_stored_total (\d+)$/m.exec(metrics)?.[1]);
}

// Each test starts many processes.
describe('backup and restore', { timeout: 180_000 }, () => {
  it('under full load contain every link and click whose response was sent before', async () => {
    const settings = newSettings();
    const server = await serveWithToken(settings);
    const load = new Load(server.origin, server.token);
    load.begin();
    await load.until(100);
    const linksBefore = [...load.created];
    const clicksBefore = new Map(load.clicks);
    const file = join(scratchFolder(), 'shorty.backup');
    const made = await command(settings, 'backup', file);
    const createdDuring = load.created.size - linksBefore.length;
    await load.end();
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/^Backed up .* to .*: [\d,]+ bytes, checked\.\n/);
    // The load continued during the backup.
    expect(createdDuring).toBeGreaterThan(0);
    expect(readdirSync(dirname(file)).sort()).toEqual(['shorty.backup', 'shorty.backup.key']);
    for (const path of [file, `${file}.key`]) expect(statSync(path).mode & 0o777).toBe(0o600);

    const restored = newSettings();
    expect(await command(restored, 'restore', file)).toMatchObject({ code: 0, stderr: '' });
    expect(await command(restored, 'doctor', '--check')).toMatchObject({ code: 0, stderr: '' });
    const next = await serveWithToken(restored);
    const clicks = await clicksBySlug(next.origin);
    for (const slug of linksBefore) {
      const restored = clicks.get(slug) ?? Number.NaN;
      expect(`${slug} ${restored >= (clicksBefore.get(slug) ?? 0)}`).toBe(`${slug} true`);
      expect(`${slug} ${restored <= (load.clicks.get(slug) ?? 0)}`).toBe(`${slug} true`);
      expect(await visitOf(next.origin, slug)).toBe(307);
    }
    expect(readFileSync(`${pathOf(restored)}.key`)).toEqual(
      readFileSync(`${pathOf(settings)}.key`),
    );
  });

  it('contain the clicks in the journal of a killed server, once each', async () => {
    const settings = newSettings();
    const server = await serveWithToken(settings);
    await call(server.origin, server.token, '/urls', {
      targetUrl: 'https://example.com/',
      customSlug: 'hot',
    });
    // Waits for the journal line of that call. The later lines are visits.
    await expect
      .poll(() => storedLines(server.origin), { message: 'stored lines', timeout: 10_000 })
      .toBeGreaterThanOrEqual(1);
    // While another process writes, the server cannot move visits out of the journal.
    const writer = new SqliteHandle(pathOf(settings));
    writer.exec('begin immediate');
    const visits = Array.from({ length: 50 }, () => visitOf(server.origin, 'hot'));
    expect(new Set(await Promise.all(visits))).toEqual(new Set([307]));
    server.child.kill('SIGKILL');
    await server.ended;
    writer.exec('rollback');
    writer.close();
    const file = join(scratchFolder(), 'killed.backup');
    const made = await command(settings, 'backup', file);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('\n50 lines came from the journal.\n');
    const restored = newSettings();
    await command(restored, 'restore', file);
    const next = await serveWithToken(restored);
    expect(await clicksBySlug(next.origin)).toEqual(new Map([['hot', 50]]));
    // The backup changed nothing in the original.
    const original = await serveWithToken(settings);
    const origin = original.origin;
    await expect
      .poll(async () => (await clicksBySlug(origin)).get('hot'), {
        message: 'clicks of the original',
        timeout: 10_000,
      })
      .toBe(50);
    expect(await command(settings, 'doctor', '--check')).toMatchObject({ code: 0 });
  });

  it('overwrite no file, and say where the key must be', async () => {
    const settings = await newDatabase();
    const file = join(scratchFolder(), 'a.backup');
    writeFileSync(file, 'precious');
    const refused = await command(settings, 'backup', file);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`${file} already exists; nothing is overwritten`);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(readdirSync(dirname(file))).toEqual(['a.backup']);
    const missing = join(dirname(file), 'missing');
    const homeless = await command(settings, 'backup', join(missing, 'a.backup'));
    expect(homeless).toMatchObject({ code: 1, stdout: '' });
    expect(homeless.stderr).toContain(`there is no folder ${missing}: create it`);

    // A new database has no key yet.
    const second = join(scratchFolder(), 'b.backup');
    const made = await command(settings, 'backup', second);
    expect(made.stdout).toContain('store SHORTY_SECRET_KEY yourself');
    const target = await newDatabase();
    const before = readFileSync(pathOf(target));
    const again = await command(target, 'restore', second);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('nothing is overwritten');
    expect(readFileSync(pathOf(target))).toEqual(before);
    const empty = newSettings();
    const restored = await command(empty, 'restore', second);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(restored.stdout).toContain(`put it at ${pathOf(empty)}.key`);
  });

  it('move the old database away, unless its server runs', async () => {
    const settings = newSettings();
    const server = await serveWithToken(settings);
    const path = pathOf(settings);
    const file = join(scratchFolder(), 'first.backup');
    await command(settings, 'backup', file);
    const old = join(dirname(path), 'old');
    const running = await command(settings, 'restore', file, '--move-old-to', old);
    expect(running).toMatchObject({ code: 1, stdout: '' });
    expect(running.stderr).toContain('server');
    expect(existsSync(old)).toBe(false);
    await stop(server);
    const before = readFileSync(path);
    const done = await command(settings, 'restore', file, '--move-old-to', old);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain(`Moved the old files to ${old}.\nRestored ${file} to ${path}`);
    expect(readFileSync(join(old, 'shorty.db'))).toEqual(before);
    expect(existsSync(join(old, 'shorty.db.key'))).toBe(true);
    const again = await command(settings, 'restore', file, '--move-old-to', old);
    expect(again.stderr).toContain(`${old} already exists`);
    expect(await command(settings, 'doctor', '--check')).toMatchObject({ code: 0 });
  });

  it('refuse a damaged file, a database in use and other files, and leave no files', async () => {
    const settings = newSettings();
    await serveWithToken(settings);
    const file = join(scratchFolder(), 'good.backup');
    await command(settings, 'backup', file);
    const target = newSettings();
    const refuses = async (from: string, reason: RegExp) => {
      const { code, stdout, stderr } = await command(target, 'restore', from);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(reason);
      const folder = dirname(pathOf(target));
      expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
    };
    await refuses(pathOf(settings), /is a database in use/);
    await refuses(join(scratchFolder(), 'nothing'), /there is no backup at/);
    const text = join(scratchFolder(), 'text');
    writeFileSync(
      text,
      'no database at all, but long enough to be looked at for a while\n'.repeat(50),
    );
    await refuses(text, /is damaged \(file is not a database\): restore an earlier backup/);
    const damaged = openSync(file, 'r+');
    writeSync(damaged, Buffer.alloc(8_192, 0xab), 0, 8_192, 4_096 * 3);
    await refuses(file, /is damaged \(.+\): restore an earlier backup/);
  });
});
