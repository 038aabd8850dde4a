import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { parseCronSchedule } from '../../src/cron-schedule.js';
import { ScheduledBackups } from '../../src/operations/backup/scheduled-backups.js';
import { findIntegrityErrors } from '../../src/storage/sqlite/copy-sqlite.js';
import { damageVisits, withVisits } from './damaged-database.js';
import { command, newDatabase, run, serve } from './server-process.js';

beforeAll(build, 120_000);

const dayMs = 86_400_000;
const midnight = Date.parse('2030-01-05T00:00:00Z');

const pathOf = (settings: Record<string, string>) =>
  String(settings.SHORTY_DATABASE_URL).slice('file:'.length);

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-backups-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Schedules backups at 03:00 each day, with a clock that starts at midnight. */
function schedule(databasePath: string, folder: string, keep = 2) {
  let now = midnight;
  const lines: Record<string, unknown>[] = [];
  const options = {
    databasePath,
    folder,
    keep,
    schedule: parseCronSchedule('0 3 * * *'),
    thresholds: [],
    clock: () => now,
    logger: pino({}, { write: (line: string) => lines.push(JSON.parse(line)) }),
  };
  const backups = new ScheduledBackups(options);
  return {
    backups,
    lines,
    reopen: () => new ScheduledBackups(options),
    /** Runs the backup that is due after this time, if one is. */
    async pass(ms: number, signal = new AbortController().signal): Promise<void> {
      now += ms;
      await backups.runIfDue(signal);
    },
  };
}

describe('scheduled backups', () => {
  it('are created when they are due, and only the newest are retained', async () => {
    const settings = await newDatabase();
    const folder = newFolder();
    writeFileSync(join(folder, 'shorty-2026-03-01.db'), 'a manual backup');
    const { backups, pass, lines, reopen } = schedule(pathOf(settings), folder);
    expect(backups.figures).toMatchObject({ intervalMs: dayMs, lastSuccessAt: 0, failures: 0 });
    await pass(dayMs / 8 - 1000);
    expect(readdirSync(folder)).toEqual(['shorty-2026-03-01.db']);
    await pass(1000);
    await pass(1000);
    await pass(dayMs);
    await pass(dayMs);
    expect(readdirSync(folder)).toEqual([
      'shorty-2026-03-01.db',
      'shorty-20300106T030001Z.db',
      'shorty-20300107T030001Z.db',
    ]);
    const latest = join(folder, 'shorty-20300107T030001Z.db');
    expect(findIntegrityErrors(latest)).toEqual([]);
    expect(statSync(latest).mode & 0o077).toBe(0);
    const lastSuccessAt = Date.parse('2030-01-07T03:00:01Z');
    const bytes = statSync(latest).size;
    expect(backups.figures).toMatchObject({ lastSuccessAt, bytes, failures: 0 });
    expect(backups.figures.durationMs).toBeGreaterThan(0);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'backup created',
      'backup created',
      'backup created',
      'old backup deleted',
    ]);
    // A restart reads the figures from the folder.
    expect(reopen().figures).toMatchObject({ lastSuccessAt, bytes });
  });

  it('that fail delete no backup, and leave no file', async () => {
    const settings = await newDatabase();
    const folder = newFolder();
    const { backups, pass, lines } = schedule(pathOf(settings), folder, 1);
    await pass(dayMs / 8);
    const [first = ''] = readdirSync(folder);
    writeFileSync(pathOf(settings), 'not a database');
    await pass(dayMs);
    expect(backups.figures).toMatchObject({
      failures: 1,
      lastSuccessAt: Date.parse('2030-01-05T03:00:00Z'),
    });
    expect(readdirSync(folder)).toEqual([first]);
    expect(lines.at(-1)).toMatchObject({
      level: 50,
      msg: 'backup failed',
      err: { message: expect.stringMatching(/not a database|malformed/) },
    });
    rmSync(folder, { recursive: true });
    await pass(dayMs);
    expect(backups.figures.failures).toBe(2);
  });

  it('with damaged visits do not replace earlier ones', async () => {
    const settings = await withVisits(true);
    const folder = newFolder();
    const { backups, pass, lines, reopen } = schedule(pathOf(settings), folder, 1);
    await pass(dayMs / 8);
    damageVisits(settings, 'visit_chunks', 'url_id = 2', 16);
    await pass(dayMs);
    await pass(dayMs);
    expect(readdirSync(folder)).toEqual([
      'shorty-20300105T030000Z.db',
      'shorty-20300107T030000Z.damaged.db',
    ]);
    expect(backups.figures.failures).toBe(2);
    expect(lines.at(-2)?.msg).toBe('old backup deleted');
    expect(lines.at(-1)).toMatchObject({ msg: 'backup contains damaged visits', damaged: 1 });

    // A restart before the next time repeats none of them.
    const { length } = lines;
    const reopened = reopen();
    await reopened.runIfDue(new AbortController().signal);
    expect(lines).toHaveLength(length);
    expect(reopened.figures.lastSuccessAt).toBe(Date.parse('2030-01-05T03:00:00Z'));
  });

  it('end at once when the server stops, and leave no file', async () => {
    const settings = await newDatabase();
    const folder = newFolder();
    const { backups, pass, lines } = schedule(pathOf(settings), folder);
    await pass(dayMs / 8, AbortSignal.abort());
    expect(readdirSync(folder)).toEqual([]);
    expect(lines).toEqual([]);
    expect(backups.figures.failures).toBe(0);
  });

  it('are made up for at the start, after unfinished ones were deleted', async () => {
    const settings = await newDatabase();
    const folder = join(newFolder(), 'new');
    mkdirSync(join(folder, 'shorty-20200102T000000Z.db.partial-aB3dEf'), { recursive: true });
    writeFileSync(join(folder, 'shorty-20200102T000000Z.db.partial-aB3dEf', 'shorty.db'), 'half');
    // The operator has moved its backup elsewhere.
    const movedKey = 'shorty-20190102T000000Z.db.key';
    writeFileSync(join(folder, movedKey), 'the key of a moved backup');
    writeFileSync(join(folder, 'shorty-20200101T000000Z.db'), 'an old backup');
    const server = await serve({
      ...settings,
      SHORTY_BACKUP_SCHEDULE: '0 3 * * *',
      SHORTY_BACKUP_FOLDER: folder,
      SHORTY_BACKUP_KEEP: '1',
    });
    await server.until(/"msg":"old backup deleted"/);
    const names = readdirSync(folder).filter((name) => !/^shorty-20(19|20)/.test(name));
    expect(names).toEqual([
      expect.stringMatching(/^shorty-\d{8}T\d{6}Z\.db$/),
      expect.stringMatching(/\.db\.key$/),
    ]);
    expect(readdirSync(folder).sort()).toEqual([movedKey, ...names]);
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    expect(metrics).toMatch(/^shorty_backup_interval_seconds 86400$/m);
    expect(metrics).toMatch(/^shorty_backup_failures_total 0$/m);
    const [, at] = /^shorty_backup_last_success_timestamp_seconds (\d+)$/m.exec(metrics) ?? [];
    expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(600);

    const restored = { SHORTY_DATABASE_URL: `file:${join(dirname(folder), 'restored.db')}` };
    const file = join(folder, names[0] ?? '');
    expect(await command(restored, 'restore', file)).toMatchObject({ code: 0 });
    expect(await command(restored, 'doctor', '--check')).toMatchObject({ code: 0 });
    expect(readFileSync(`${file}.key`, 'utf8')).toMatch(/\S{16}/);
  }, 60_000);

  it('in a folder that cannot be written stop the start', async () => {
    const settings = await newDatabase();
    const backups = { SHORTY_BACKUP_SCHEDULE: '0 3 * * *', SHORTY_BACKUP_FOLDER: '/dev/null/x' };
    const { code, stderr } = await run({ ...settings, ...backups }).ended;
    expect(code).toBe(78);
    expect(stderr).toMatch(
      /^shorty-server: SHORTY_BACKUP_FOLDER is "\/dev\/null\/x": .*must be a folder that the server can write$/m,
    );
  });
});
