import { mergeVisits } from '../../packages/server/dist/analytics/ingest/merge-visits.js';
import { createVisitRepository } from '../../packages/server/dist/analytics/ingest/visit-repository.js';
import { createEventOutbox } from '../../packages/server/dist/events/event-outbox.js';
import { openStorage } from '../../packages/server/dist/storage/open-storage.js';

const perBatch = 8_192;
const day = 24 * 60 * 60 * 1000;

/**
 * Stores and merges visits in a database, once: it takes them for those of the same journal. Their links
 * are numbered from 1. Their ids have gaps, and visits of an unknown link would not be stored.
 */
export async function storeVisits(databaseUrl, visits) {
  const database = openStorage({ databaseUrl, durability: 'process' });
  const repository = createVisitRepository(database, {
    outbox: createEventOutbox(database, { newId: () => 'no event' }),
    thresholds: [],
  });
  const links = await database.read.selectFrom('urls').select('id').orderBy('id').execute();
  let count = 0;
  let batch = [];
  const store = async () => {
    const from = { segment: 1, offset: count };
    count += batch.length;
    const to = { segment: 1, offset: count };
    await repository.store('bench', from, to, { visits: batch }, Date.now());
    await mergeVisits(database, Date.now());
    batch = [];
  };
  for (const visit of visits) {
    batch.push({ ...visit, urlId: links[visit.urlId - 1].id });
    if (batch.length === perBatch) await store();
  }
  if (batch.length > 0) await store();
  // A day later, all remaining visits are due.
  await mergeVisits(database, Date.now() + day);
  await database.close();
}
