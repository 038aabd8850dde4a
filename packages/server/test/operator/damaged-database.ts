import SqliteHandle from 'better-sqlite3';
import { VisitCompactor } from '../../src/analytics/ingest/visit-compactor.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { day, makeVisit, start } from '../analytics/visit-store.js';
import { newDatabase } from './server-process.js';

/** Returns the settings of a database with three visits each of the links 1 and 2. */
export async function withVisits(isCompacted: boolean): Promise<Record<string, string>> {
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
export function damageVisits(
  settings: Record<string, string>,
  table: string,
  where: string,
  from: number,
): void {
  const handle = new SqliteHandle(String(settings.SHORTY_DATABASE_URL).slice('file:'.length));
  const { visits } = handle.prepare(`select visits from ${table} where ${where}`).get() as {
    visits: Buffer;
  };
  handle
    .prepare(`update ${table} set visits = ? where ${where}`)
    .run(Buffer.from(visits).fill(0xab, from, from + 8));
  handle.close();
}
