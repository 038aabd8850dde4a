import { dirname, join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { beforeAll, expect, it } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { VisitCompactor } from '../../src/analytics/ingest/visit-compactor.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { day, makeVisit, start } from '../analytics/visit-store.js';
import { command, newDatabase } from './server-process.js';

beforeAll(build, 120_000);

const pathOf = (settings: Record<string, string>) =>
  String(settings.SHORTY_DATABASE_URL).slice('file:'.length);

/** Returns the settings of a database with three visits each of the links 1 and 2. */
async function withVisits(isCompacted: boolean): Promise<Record<string, string>> {
  const settings = await newDatabase();
  const databaseUrl = String(settings.SHORTY_DATABASE_URL);
  const database = openStorage({ databaseUrl, durability: 'process' });
  const outbox = new EventOutbox(database, { newId: () => 'event' });
  const repository = new VisitRepository(database, { outbox, thresholds: [] });
  const visits = [0, 1, 2].flatMap((hours) =>
    [1, 2].map((urlId) => makeVisit({ urlId, visitedAt: start + hours * 3_600_000 })),
  );
  const [from, to] = [
    { segment: 1, offset: 0 },
    { segment: 1, offset: 6 },
  ];
  await repository.store('writer', from, to, { visits }, start);
  if (isCompacted) await new VisitCompactor({ database, clock: () => start + day }).compact();
  await database.close();
  return settings;
}

/** Overwrites the stored visits of a row from the given byte on. */
function damage(
  settings: Record<string, string>,
  table: string,
  where: string,
  from: number,
): void {
  const handle = new SqliteHandle(pathOf(settings));
  const { visits } = handle.prepare(`select visits from ${table} where ${where}`).get() as {
    visits: Buffer;
  };
  handle
    .prepare(`update ${table} set visits = ? where ${where}`)
    .run(Buffer.from(visits).fill(0xab, from, from + 8));
  handle.close();
}

it.each([
  ['header', 0],
  ['times', 16],
  ['dictionary', 200],
])(
  'doctor names a chunk with a damaged %s by link and range, and backup is not called checked',
  async (_, from) => {
    const settings = await withVisits(true);
    expect((await command(settings, 'doctor', '--check')).code).toBe(0);
    damage(settings, 'visit_chunks', 'url_id = 2', from);
    const { code, stdout, stderr } = await command(settings, 'doctor');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain(
      'Link 2: 3 visits from 2030-01-01T00:00:00.000Z to 2030-01-01T02:00:00.000Z (chunk 0) cannot be read.',
    );
    // The counter of the link is not changed to what can be read.
    expect(stdout).not.toMatch(/Link \d: its counter|Repaired|agree/);

    const file = join(dirname(pathOf(settings)), 'copy.backup');
    const backup = await command(settings, 'backup', file);
    expect(backup.code).toBe(1);
    expect(backup.stdout).toContain('bytes, with damaged visits.\n');
    expect(backup.stdout).not.toContain('checked');
    expect(backup.stderr).toContain('shorty-server doctor --check');
  },
);

it('doctor names a damaged batch', async () => {
  const settings = await withVisits(false);
  damage(settings, 'visit_batches', 'true', 0);
  const { code, stdout } = await command(settings, 'doctor', '--check');
  expect(code).toBe(1);
  expect(stdout).toContain(
    'Batch 1: its 6 visits of any links, stored at 2030-01-01T00:00:00.000Z,',
  );
  expect(stdout).not.toContain('its counter is');
});
