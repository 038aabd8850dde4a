import { parentPort, workerData } from 'node:worker_threads';
import { v7 as newUuid } from 'uuid';
import { EventOutbox } from '../events/event-outbox.js';
import { PeriodicService, stopAll } from '../lifecycle.js';
import { openStorage } from '../storage/open-storage.js';
import { ChunkRepository } from './chunk-repository.js';
import { VisitCompactor } from './visit-compactor.js';
import { VisitIngester } from './visit-ingester.js';
import { adoptEveryMs, ingestEveryMs } from './visit-pipeline.js';
import { VisitRepository } from './visit-repository.js';

export interface IngestWorkerData {
  readonly databasePath: string;
  readonly durability: 'process' | 'power';
  readonly thresholds: readonly number[];
  readonly root: string;
  readonly folder: string;
  readonly writerId: string;
}

export interface IngestWorkerMessage {
  /** Undefined when the last attempt went well. */
  readonly fault: string | undefined;
  /** Whether nothing is left to move, after `stop`. */
  readonly isDrained: boolean;
}

const { databasePath, durability, thresholds, root, folder, writerId } =
  workerData as IngestWorkerData;
const database = openStorage({ databasePath, durability });
const visits = new VisitRepository(database, { outbox: new EventOutbox(newUuid), thresholds });
const ingester = new VisitIngester({ visits, root, folder, writerId, clock: Date.now });

const compactor = new VisitCompactor({ chunks: new ChunkRepository(database), clock: Date.now });

const tell = (message: IngestWorkerMessage) => parentPort?.postMessage(message);
const onError = (error: unknown) =>
  tell({ fault: error instanceof Error ? error.message : String(error), isDrained: false });
let isFine = true;
const services = [
  new PeriodicService({
    name: 'visits',
    everyMs: ingestEveryMs,
    async runOnce() {
      await ingester.runOnce();
      // New visits come first: they are to be seen within half a second.
      await compactor.runOnce(() => ingester.runOnce());
      if (!isFine) tell({ fault: undefined, isDrained: false });
      isFine = true;
    },
    onError(error) {
      isFine = false;
      onError(error);
    },
  }),
  new PeriodicService({
    name: 'leftover visits',
    everyMs: adoptEveryMs,
    runOnce: () => ingester.adoptLeftovers(),
    onError,
  }),
];

parentPort?.once('message', async () => {
  await stopAll(services);
  try {
    await ingester.runOnce();
    tell({ fault: undefined, isDrained: true });
  } catch (error) {
    onError(error);
  }
  await database.close();
});

for (const service of services) service.start();
// What a process that was killed has left should not wait for the first period.
await ingester.adoptLeftovers().catch(onError);
