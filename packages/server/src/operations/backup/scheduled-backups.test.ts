import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cron } from 'croner';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { ScheduledBackups } from './scheduled-backups.js';

const dayMs = 86_400_000;
const midnight = Date.parse('2030-01-05T00:00:00Z');

/** Schedules backups at 03:00 each day, or by `expression`, with a clock that starts at midnight. */
function schedule({ keep = 2, expression = '0 3 * * *' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-backups-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let now = midnight;
  let outcome: 'complete' | 'damaged' | 'none' = 'complete';
  const lines: string[] = [];
  const options = {
    folder,
    keep,
    schedule: new Cron(expression, { timezone: 'UTC', mode: '5-part' }),
    clock: () => now,
    logger: pino({}, { write: (line: string) => lines.push(JSON.parse(line).msg) }),
    async createBackup(path: string) {
      if (outcome !== 'none') {
        writeFileSync(`${path}.key`, 'key');
        writeFileSync(path, 'backup');
      }
      if (outcome !== 'complete') throw new Error('it failed');
    },
  };
  const backups = new ScheduledBackups(options);
  return {
    backups,
    lines,
    files: () => readdirSync(folder).filter((name) => !name.endsWith('.key')),
    keys: () => readdirSync(folder).filter((name) => name.endsWith('.key')).length,
    write: (name: string) => writeFileSync(join(folder, name), name),
    reopen: () => new ScheduledBackups(options),
    /** Runs the backup that is due after this time, if one is. */
    async pass(ms: number, next = outcome, signal = new AbortController().signal): Promise<void> {
      now += ms;
      outcome = next;
      await backups.runIfDue(signal);
    },
  };
}

it('creates backups when they are due, and retains only the newest', async () => {
  const { backups, pass, lines, files, keys, write, reopen } = schedule();
  write('shorty-2026-03-01.db');
  expect(backups.figures).toMatchObject({ intervalMs: dayMs, lastSuccessAt: 0, failures: 0 });
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
  expect(backups.figures).toMatchObject({ lastSuccessAt, bytes: 6, failures: 0 });
  expect(lines).toEqual([...Array(3).fill('backup created'), 'old backup deleted']);
  // A restart reads the time from the folder.
  expect(reopen().figures).toMatchObject({ lastSuccessAt });
});

it('deletes no backup when one fails', async () => {
  const { backups, pass, files, lines } = schedule({ keep: 1 });
  await pass(dayMs / 8);
  await pass(dayMs, 'none');
  expect(files()).toEqual(['shorty-20300105T030000Z.db']);
  expect(backups.figures).toMatchObject({
    failures: 1,
    lastSuccessAt: Date.parse('2030-01-05T03:00:00Z'),
  });
  expect(lines.at(-1)).toBe('backup failed');
});
