import { statSync } from 'node:fs';
import { mergeVisits } from '../../packages/server/dist/analytics/ingest/merge-visits.js';
import { VisitRepository } from '../../packages/server/dist/analytics/ingest/visit-repository.js';
import { EventOutbox } from '../../packages/server/dist/events/event-outbox.js';
import { openStorage } from '../../packages/server/dist/storage/open-storage.js';

const perBatch = 8_192;
const day = 24 * 60 * 60 * 1000;

/**
 * Stores and merges visits in a SQLite file. Returns the bytes added and the time a visit. A second
 * call for the same file needs another journal, because a journal is stored once.
 */
export async function storeVisits(databasePath, visits, journal = 'bench') {
  const before = statSync(databasePath).size;
  const database = openStorage({ databaseUrl: `file:${databasePath}`, durability: 'process' });
  const { storing, merging } = await storeVisitsIn(database, visits, journal);
  await database.close();
  return { bytes: statSync(databasePath).size - before, microseconds: storing + merging };
}

/** Stores and merges visits in a database. Returns the times of both, in microseconds a visit. */
export async function storeVisitsIn(database, visits, journal = 'bench') {
  const repository = new VisitRepository(database, {
    outbox: new EventOutbox(database, { newId: () => 'no event' }),
    thresholds: [],
  });
  const spent = { storing: 0, merging: 0 };
  const timed = async (part, work) => {
    const startedAt = performance.now();
    await work();
    spent[part] += performance.now() - startedAt;
  };
  const merge = (now) => timed('merging', () => mergeVisits(database, now));
  let count = 0;
  let batch = [];
  const store = async () => {
    const from = { segment: 1, offset: count };
    count += batch.length;
    const to = { segment: 1, offset: count };
    await timed('storing', () =>
      repository.store(journal, from, to, { visits: batch }, Date.now()),
    );
    await merge(Date.now());
    batch = [];
  };
  for (const visit of visits) {
    batch.push(visit);
    if (batch.length === perBatch) await store();
  }
  if (batch.length > 0) await store();
  // A day later, all remaining visits are due.
  await merge(Date.now() + day);
  return { storing: (spent.storing * 1000) / count, merging: (spent.merging * 1000) / count };
}
