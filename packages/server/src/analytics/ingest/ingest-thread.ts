import { v7 as newUuid } from 'uuid';
import { EventOutbox } from '../../events/event-outbox.js';
import { PeriodicService, stopAll } from '../../lifecycle.js';
import type { PlanTable } from '../../organizations/plans.js';
import type { Clock } from '../../ports.js';
import { openStorage, type StorageOptions } from '../../storage/open-storage.js';
import { defineThread } from '../../threads/define-thread.js';
import { encodeError, type TransferredError } from '../../threads/error-transfer.js';
import { ChunkRepository } from './chunk-repository.js';
import { VisitCompactor } from './visit-compactor.js';
import { VisitIngester } from './visit-ingester.js';
import { VisitPruner } from './visit-pruner.js';
import { VisitRepository } from './visit-repository.js';

/** Which journal is moved, and how long visits are kept. */
export interface IngestSettings {
  readonly root: string;
  readonly folder: string;
  readonly writerId: string;
  readonly retentionDays: number | undefined;
}

export interface IngestThreadData {
  readonly storage: StorageOptions;
  readonly thresholds: readonly number[];
  readonly plans: PlanTable;
  readonly settings: IngestSettings;
}

export type IngestEvent =
  /** Visits that were moved since the last event; 0 when only an error has cleared. */
  { readonly moved: number } | { readonly error: TransferredError };

export interface IngestOptions {
  readonly visits: VisitRepository;
  readonly chunks: ChunkRepository;
  readonly settings: IngestSettings;
  readonly clock: Clock;
  /** Does the engine's maintenance; undefined where the engine does it by itself. */
  readonly maintain?: () => Promise<void>;
}

const ingestEveryMs = 200;
const maintainEveryMs = 250;
const adoptEveryMs = 10_000;
const pruneEveryMs = 10 * 60_000;

/** Starts to move a journal's visits into storage, and to compact and prune what is there. */
export function startIngest(options: IngestOptions, emit: (event: IngestEvent) => void) {
  const { visits, chunks, settings, clock, maintain } = options;
  const ingester = new VisitIngester({ visits, ...settings, clock });
  const compactor = new VisitCompactor({ chunks, clock });
  const pruner = new VisitPruner({ chunks, clock, retentionDays: settings.retentionDays });
  // The first event says that the thread works, after the failure of another one.
  let isFailing = true;
  const onError = (error: unknown) => {
    isFailing = true;
    emit({ error: encodeError(error, []) });
  };
  const move = async () => {
    const moved = await ingester.runOnce();
    if (moved === 0 && !isFailing) return;
    isFailing = false;
    emit({ moved });
  };
  const adopt = () => ingester.adoptLeftovers();
  const services = [
    new PeriodicService({
      name: 'visits',
      everyMs: ingestEveryMs,
      async tick() {
        await move();
        // New visits come first: they are to be seen within half a second.
        await compactor.runOnce(move);
      },
      onError,
    }),
    new PeriodicService({
      name: 'leftover visits',
      everyMs: adoptEveryMs,
      tick: adopt,
      onError,
    }),
    new PeriodicService({
      name: 'old visits',
      everyMs: pruneEveryMs,
      tick: () => pruner.runOnce(),
      onError,
    }),
    ...(maintain
      ? [
          new PeriodicService({
            name: 'maintenance',
            everyMs: maintainEveryMs,
            tick: maintain,
            onError,
          }),
        ]
      : []),
  ];
  for (const service of services) service.start();
  // The journal of a process that was killed does not wait for the first period.
  const adoption = adopt().catch(onError);

  async function stop(): Promise<void> {
    await adoption;
    await stopAll(services);
  }

  return {
    methods: {
      /** Stops the periodic work and moves the rest; rejects when something is left. */
      async drain(): Promise<void> {
        await stop();
        await move();
      },
    },
    stop,
  };
}

/** Moves visits into storage, so that redirects never wait for storage. */
export const ingestThread = defineThread({
  name: 'visits',
  file: import.meta.url,
  lifetime: 'background',
  start(
    { storage, thresholds, plans, settings }: IngestThreadData,
    emit: (event: IngestEvent) => void,
  ) {
    const database = openStorage(storage);
    const outbox = new EventOutbox(database, { newId: newUuid, plans });
    const { methods, stop } = startIngest(
      {
        visits: new VisitRepository(database, { outbox, thresholds }),
        chunks: new ChunkRepository(database),
        settings,
        clock: Date.now,
        maintain: () => database.maintain(),
      },
      emit,
    );
    return {
      methods,
      async stop(): Promise<void> {
        await stop();
        await database.close();
      },
    };
  },
});
