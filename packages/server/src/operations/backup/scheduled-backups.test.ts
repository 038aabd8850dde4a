import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cron } from 'croner';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../../test/scratch-folder.js';
import { openScheduledBackups } from './scheduled-backups.js';

const dayMs = 86_400_000;
const midnight = Date.parse('2030-01-05T00:00:00Z');

/** Schedules backups at 03:00 each day, with a clock that starts at midnight. */
function schedule() {
  const folder = scratchFolder();
  let now = midnight;
  const lines: string[] = [];
  const options = {
    folder,
    keep: 2,
    schedule: new Cron('0 3 * * *', { timezone: 'UTC', mode: '5-part' }),
    clock: () => now,
    logger: pino({}, { write: (line: string) => lines.push(JSON.parse(line).msg) }),
    async createBackup(path: string) {
      writeFileSync(`${path}.key`, 'key');
      writeFileSync(path, 'backup');
    },
  };
  const backups = openScheduledBackups(options);
  return {
    backups,
    lines,
    files: () => readdirSync(folder).filter((name) => !name.endsWith('.key')),
    keys: () => readdirSync(folder).filter((name) => name.endsWith('.key')).length,
    write: (name: string) => writeFileSync(join(folder, name), name),
    reopen: (more: Partial<typeof options> & { create?: true } = {}) =>
      openScheduledBackups({ ...options, ...more }),
    /** Runs the backup that is due after this time, if one is. */
    async pass(ms: number): Promise<void> {
      now += ms;
      await backups.runIfDue(new AbortController().signal);
    },
  };
}

it('creates backups when they are due, and retains only the newest', async () => {
  const { backups, pass, lines, files, keys, write, reopen } = schedule();
  write('shorty-2026-03-01.db');
  expect(backups.figures()).toMatchObject({ intervalMs: dayMs, lastSuccessAt: 0, failures: 0 });
  await pass(dayMs / 8 - 1000);
  expect(files()).toEqual(['shorty-2026-03-01.db']);
  await pass(1000);
  await pass(1000);
  await pass(dayMs);
  await pass(dayMs);
  expect(files()).toEqual([
    'shorty-2026-03-01.db',
    'shorty-20300106T030001Z.db',
    'shorty-20300107T030001Z.db',
  ]);
  expect(keys()).toBe(2);
  const lastSuccessAt = Date.parse('2030-01-07T03:00:01Z');
  expect(backups.figures()).toMatchObject({ lastSuccessAt, failures: 0 });
  expect(lines).toEqual([...Array(3).fill('backup created'), 'old backup deleted']);
  // A restart reads the time from the folder.
  expect(reopen().figures()).toMatchObject({ lastSuccessAt });
});

it('need a folder that exists, unless the start creates it', () => {
  const { reopen } = schedule();
  const folder = join(scratchFolder(), 'misspelt');
  expect(() => reopen({ folder })).toThrow(/misspelt": there is no such folder: correct the path/);
  reopen({ folder, create: true });
  expect(readdirSync(folder)).toEqual([]);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => reopen({ folder: file })).toThrow(/there is no such folder/);
});
