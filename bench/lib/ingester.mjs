// A node that stores and compacts visits, in a thread of its own. It tells when it is ready, and begins at
// the next message.
import { parentPort, workerData } from 'node:worker_threads';
import { VisitCompactor } from '../../packages/server/dist/analytics/ingest/visit-compactor.js';
import { VisitRepository } from '../../packages/server/dist/analytics/ingest/visit-repository.js';
import { EventOutbox } from '../../packages/server/dist/events/event-outbox.js';
import { openStorage } from '../../packages/server/dist/storage/open-storage.js';
import { makeVisits } from './visit-maker.mjs';

const perBatch = 8_192;
const batchesPerCompaction = 4;
const day = 24 * 60 * 60 * 1000;

const { databaseUrl, journal, sources, visits } = workerData;
const database = openStorage({ databaseUrl, durability: 'process' });
const repository = new VisitRepository(database, {
  outbox: new EventOutbox(database, { newId: () => 'no event' }),
  thresholds: [],
});
// All visits are due.
const compactor = new VisitCompactor({ database, clock: () => Date.now() + day });

const batches = batchesOf(sources);
parentPort.once('message', ingest);
parentPort.postMessage('ready');

async function ingest() {
  let offset = 0;
  for (const [at, batch] of batches.entries()) {
    const from = { segment: 1, offset };
    offset += batch.length;
    await repository.findMissing(batch);
    await repository.store(journal, from, { segment: 1, offset }, { visits: batch }, Date.now());
    if ((at + 1) % batchesPerCompaction === 0) await compactor.compact();
  }
  // The other node may compact some of the rest.
  while (await hasBatches()) await compactor.compact();
  await database.close();
  parentPort.postMessage('done');
}

async function hasBatches() {
  return (
    (await database.read.selectFrom('visit_batches').select('id').limit(1).execute()).length > 0
  );
}

/** Returns the visits of all sources, a batch of each in turn. */
function batchesOf(sources) {
  const made = sources.map(({ seed, firstLink, links, from, until }) => {
    const own = makeVisits({ count: visits, links, from, until, seed });
    const all = Array.from(own, (visit) => ({ ...visit, urlId: visit.urlId + firstLink - 1 }));
    return Array.from({ length: Math.ceil(all.length / perBatch) }, (_, at) =>
      all.slice(at * perBatch, (at + 1) * perBatch),
    );
  });
  return made[0].flatMap((_, at) => made.map((batches) => batches[at]));
}
