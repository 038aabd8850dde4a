import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { v7 as newUuid } from 'uuid';
import type { Config } from '../../config.js';
import { createEventOutbox, type EventOutbox } from '../../events/event-outbox.js';
import { errorThrottle, type PeriodicWork, periodicService, stopAll } from '../../lifecycle.js';
import type { LinkOrigins } from '../../network/link-origins.js';
import type { PlanTable } from '../../organizations/plans.js';
import type { Clock } from '../../ports.js';
import type { Database } from '../../storage/database.js';
import { openStorage, type StorageOptions } from '../../storage/open-storage.js';
import { defineThread } from '../../threads/define-thread.js';
import { openDamagedLines, type SetAside } from '../journal/damaged-lines.js';
import { findJournalEnd, isBefore, type JournalPosition } from '../journal/journal-lines.js';
import { deleteOldVisits, retainedSince } from './delete-old-visits.js';
import { type ErasureFailures, eraseVisits } from './erase-visits.js';
import { mergeVisits } from './merge-visits.js';
import { ingestJournal, recoverOrphans } from './visit-ingester.js';
import { createVisitRepository } from './visit-repository.js';

export interface IngestSettings extends Pick<Config, 'thresholds' | 'retentionDays'> {
  /** The folder with the journal folders of all writers. */
  readonly root: string;
  readonly writerId: string;
  readonly origins: LinkOrigins;
}

export type IngestEvent =
  /** The number of lines stored since the last event; 0 when only an error has cleared. */
  | { readonly storedLines: number }
  /** Lines of a writer's journal that cannot be stored were set aside. */
  | { readonly damagedLines: number; readonly writerId: string }
  /** Events of clicks that were not written, because too many wait for the webhook. */
  | { readonly droppedEvents: number; readonly webhookId: string }
  /** Deliveries for these webhooks are due. */
  | { readonly webhookIds: readonly string[] }
  /** `service` is the other work that failed; without it, visits cannot be stored. */
  | { readonly error: unknown; readonly service?: string };

const ingestEveryMs = 200;
const idleIngestEveryMs = 500;
const mergeEveryMs = 1_000;
const idleMergeEveryMs = 10_000;
const maintainEveryMs = 250;
const recoverEveryMs = 10_000;
const eraseEveryMs = 10_000;
// Less than the time limit of calls.
const eraseWaitMs = 3_000;
const pruneEveryMs = 10 * 60_000;

/** Starts the periodic work on visits: ingest, recovery, merging, pruning and maintenance. */
export function createIngest(
  database: Database,
  outbox: EventOutbox,
  plans: PlanTable,
  { root, writerId, thresholds, retentionDays, origins }: IngestSettings,
  clock: Clock,
  emit: (event: IngestEvent) => void,
) {
  const { maintain } = database;
  const path = join(root, writerId);
  const onDropped = (webhookId: string, droppedEvents: number) =>
    emit({ webhookId, droppedEvents });
  const visits = createVisitRepository(database, {
    outbox,
    thresholds,
    clicks: { plans, origins, onDropped },
  });
  // Initially true, because this thread may replace a failed one. Its first success clears that error.
  let isFailing = true;
  const onError = (error: unknown) => {
    isFailing = true;
    emit({ error });
  };
  const file = openDamagedLines(root);
  const setAside: SetAside = (writer, at, lines) => {
    file.setAside(writer, at, lines);
    emit({ damagedLines: lines.length, writerId: writer });
  };
  const recover = (signal: AbortSignal) => recoverOrphans(visits, root, clock, setAside, signal);
  const onStored = (storedLines: number) => {
    isFailing = false;
    emit({ storedLines });
  };
  /** The end of the journal before the last ingest that succeeded. */
  let ingestedEnd: JournalPosition | undefined;
  const ingest = async (hasEnded = false) => {
    const end = findJournalEnd(path);
    const isUnchanged = ingestedEnd !== undefined && !isBefore(ingestedEnd, end);
    if (isUnchanged && !hasEnded && !isFailing) return false;
    ingestedEnd = undefined;
    const journal = { path, writerId, hasEnded, setAside };
    const storedLines = await ingestJournal(visits, journal, clock, onStored);
    if (storedLines === 0 && isFailing) onStored(0);
    if (storedLines > 0) merges.wake();
    ingestedEnd = end;
    return true;
  };
  const noteError = (service: string) => (error: unknown) => emit({ error, service });
  const repeat = (
    name: string,
    everyMs: number,
    tick: PeriodicWork['tick'],
    idleEveryMs = everyMs,
  ) => periodicService({ everyMs, idleEveryMs, tick, onError: noteError(name) });
  const erasureErrors = errorThrottle(noteError('erasures'));
  let unreadable: ErasureFailures = new Map();
  async function eraseMarked(signal: AbortSignal): Promise<void> {
    // They must not fail the calls of other organizations.
    unreadable = await eraseVisits(database, signal);
    if (unreadable.size === 0) erasureErrors.reset();
    else erasureErrors.report(new Error([...unreadable.values()].join('; ')));
  }
  let erasing: Promise<void> | undefined;
  /** Erases the visits of the marked links. A call during a run joins it. */
  function erase(signal: AbortSignal): Promise<void> {
    erasing ??= eraseMarked(signal).finally(() => {
      erasing = undefined;
    });
    return erasing;
  }
  const merges = repeat(
    'merges',
    mergeEveryMs,
    (signal) => mergeVisits(database, clock(), signal),
    idleMergeEveryMs,
  );
  const services = [
    periodicService({
      everyMs: ingestEveryMs,
      idleEveryMs: idleIngestEveryMs,
      tick: () => ingest(),
      onError,
    }),
    merges,
    repeat('orphaned journals', recoverEveryMs, recover),
    repeat('old visits', pruneEveryMs, (signal) =>
      deleteOldVisits(database, retainedSince(retentionDays, clock()), signal),
    ),
    // Continues what a killed process began.
    repeat('erasures', eraseEveryMs, erase),
    ...(maintain ? [repeat('maintenance', maintainEveryMs, async () => maintain())] : []),
  ];
  for (const service of services) service.start();
  // The visits of a killed process must not wait for the first period.
  const stopping = new AbortController();
  const recovery = recover(stopping.signal).catch(noteError('orphaned journals'));

  async function stop(): Promise<void> {
    stopping.abort();
    await recovery;
    await stopAll(services);
  }

  return {
    methods: {
      /**
       * Erases the visits of the marked links. Returns when the run ends, or after the time that a call may
       * take: the work continues. Returns why erasures cannot be finished.
       */
      async erase(): Promise<ErasureFailures> {
        const wait = setTimeout(eraseWaitMs, undefined, { ref: false });
        await Promise.race([erase(stopping.signal), wait]);
        return unreadable;
      },

      /** Stops the periodic work and stores the remaining lines. Rejects when lines remain. */
      async drain(): Promise<void> {
        await stop();
        await ingest(true);
      },
    },
    stop,
  };
}

/** Stores visits in a thread of its own, so redirects never wait for storage. */
export const ingestThread = defineThread({
  name: 'visits',
  file: import.meta.url,
  // Visits wait in the journal.
  priority: 'low',
  start(
    {
      storage,
      plans,
      settings,
    }: { storage: StorageOptions; plans: PlanTable; settings: IngestSettings },
    emit: (event: IngestEvent) => void,
  ) {
    const database = openStorage(storage);
    const onEvents = (webhookIds: readonly string[]) => emit({ webhookIds });
    const outbox = createEventOutbox(database, { newId: newUuid, onEvents, plans });
    const { methods, stop } = createIngest(database, outbox, plans, settings, Date.now, emit);
    return {
      methods,
      async stop(): Promise<void> {
        await stop();
        await database.close();
      },
    };
  },
});
