import { statSync } from 'node:fs';
import { ChunkRepository } from '../../packages/server/dist/clicks/chunk-repository.js';
import { VisitCompactor } from '../../packages/server/dist/clicks/visit-compactor.js';
import { VisitRepository } from '../../packages/server/dist/clicks/visit-repository.js';
import { EventOutbox } from '../../packages/server/dist/events/event-outbox.js';
import { openStorage } from '../../packages/server/dist/storage/open-storage.js';

const perBatch = 8_192;
const day = 24 * 60 * 60 * 1000;

/** Stores visits as the server itself does, and sorts all of them; what that took, all told. */
export async function storeVisits(databasePath, visits) {
  const before = statSync(databasePath).size;
  const database = openStorage({ databaseUrl: `file:${databasePath}`, durability: 'process' });
  const chunks = new ChunkRepository(database);
  const repository = new VisitRepository(database, {
    outbox: new EventOutbox(database, { newId: () => 'no event' }),
    thresholds: [],
  });
  const compactor = new VisitCompactor({ chunks, clock: Date.now });
  let milliseconds = 0;
  let count = 0;
  let batch = [];
  const store = async () => {
    const startedAt = performance.now();
    const from = { segment: 1, offset: count };
    count += batch.length;
    await repository.store('bench', from, { segment: 1, offset: count }, batch, Date.now());
    await compactor.runOnce();
    milliseconds += performance.now() - startedAt;
    batch = [];
  };
  for (const visit of visits) {
    batch.push(visit);
    if (batch.length === perBatch) await store();
  }
  if (batch.length > 0) await store();
  await new VisitCompactor({ chunks, clock: () => Date.now() + day }).runOnce();
  await database.close();
  return {
    bytes: statSync(databasePath).size - before,
    microseconds: (milliseconds * 1000) / count,
  };
}
