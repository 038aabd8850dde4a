import { parentPort, workerData } from 'node:worker_threads';
import { v7 as newUuid } from 'uuid';
import { EventOutbox } from '../events/event-outbox.js';
import { PeriodicService, stopAll } from '../lifecycle.js';
import type { PlanTable } from '../organizations/plans.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { ChunkRepository } from './chunk-repository.js';
import { VisitCompactor } from './visit-compactor.js';
import { VisitIngester } from './visit-ingester.js';
import { adoptEveryMs, ingestEveryMs, maintainEveryMs, pruneEveryMs } from './visit-pipeline.js';
import { VisitPruner } from './visit-pruner.js';
import { VisitRepository } from './visit-repository.js';

export interface IngestWorkerData {
  readonly storage: StorageOptions;
  readonly thresholds: readonly number[];
  readonly retentionDays: number | undefined;
  readonly plans: PlanTable;
  readonly root: string;
  readonly folder: string;
  readonly writerId: string;
}

/** What the thread is told. */
export type IngestCommand = 'stop';

export interface IngestWorkerMessage {
  /** Visits that were moved since the last message. */
  readonly moved: number;
  /** Undefined when the last attempt went well. */
  readonly fault: string | undefined;
  /** Whether nothing is left to move, after `stop`. */
  readonly isDrained: boolean;
}

const { storage, thresholds, retentionDays, plans, root, folder, writerId } =
  workerData as IngestWorkerData;
const database = openStorage(storage);
const visits = new VisitRepository(database, {
  outbox: new EventOutbox(database, { newId: newUuid, plans }),
  thresholds,
});
const ingester = new VisitIngester({ visits, root, folder, writerId, clock: Date.now });

const chunks = new ChunkRepository(database);
const compactor = new VisitCompactor({ chunks, clock: Date.now });
const pruner = new VisitPruner({ chunks, clock: Date.now, retentionDays });

const tell = (message: IngestWorkerMessage) => parentPort?.postMessage(message);
// Whatever has failed, the next visits that are moved, if only none, say that it has passed.
let isFine = true;
const onError = (error: unknown) => {
  isFine = false;
  tell({
    moved: 0,
    fault: error instanceof Error ? error.message : String(error),
    isDrained: false,
  });
};
const move = async () => {
  const moved = await ingester.runOnce();
  if (moved === 0 && isFine) return;
  isFine = true;
  tell({ moved, fault: undefined, isDrained: false });
};
const services = [
  new PeriodicService({
    name: 'visits',
    everyMs: ingestEveryMs,
    async runOnce() {
      await move();
      // New visits come first: they are to be seen within half a second.
      await compactor.runOnce(move);
    },
    onError,
  }),
  new PeriodicService({
    name: 'leftover visits',
    everyMs: adoptEveryMs,
    runOnce: () => ingester.adoptLeftovers(),
    onError,
  }),
  new PeriodicService({
    name: 'maintenance',
    everyMs: maintainEveryMs,
    runOnce: () => database.maintain(),
    onError,
  }),
  new PeriodicService({
    name: 'old visits',
    everyMs: pruneEveryMs,
    runOnce: () => pruner.runOnce(),
    onError,
  }),
];

// The journal of a process that was killed does not wait for the first period.
const adoption = ingester.adoptLeftovers().catch(onError);

const port = parentPort;
port?.once('message', async (_stop: IngestCommand) => {
  await adoption;
  await stopAll(services);
  try {
    const moved = await ingester.runOnce();
    tell({ moved, fault: undefined, isDrained: true });
  } catch (error) {
    onError(error);
  }
  await database.close();
  port.close();
});

for (const service of services) service.start();
