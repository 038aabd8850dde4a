import type { VisitFigures } from '../analytics/ingest/visit-pipeline.js';
import type { FairQueue } from '../fair-queue.js';
import type { StorageSize } from '../storage/database.js';
import type { ObservedThread } from '../threads/thread.js';
import type { DispatchFigures } from '../webhooks/webhook-dispatcher.js';
import { type Family, single } from './exposition.js';

export function visitFamilies({ recorded, stored, inMemory, isFaulty }: VisitFigures): Family[] {
  return [
    single(
      'shorty_visits_total',
      'counter',
      'Redirects, pictures and API calls that were answered.',
      recorded,
    ),
    single('shorty_visits_stored_total', 'counter', 'Those of them that are in storage.', stored),
    single(
      'shorty_journal_waiting',
      'gauge',
      'Lines of the journal that are not in storage yet.',
      Math.max(0, recorded - stored),
    ),
    single('shorty_visits_in_memory', 'gauge', 'Visits whose journal cannot be written.', inMemory),
    single(
      'shorty_visits_fault',
      'gauge',
      '1 while visits do not reach storage.',
      isFaulty ? 1 : 0,
    ),
  ];
}

export function deliveryFamilies({
  attempts,
  pending,
  overdueMs,
  sinceTurnMs,
}: DispatchFigures): Family[] {
  return [
    {
      name: 'shorty_delivery_attempts_total',
      type: 'counter',
      help: 'Attempts to deliver events: delivered, to be retried, or failed for good.',
      samples: attempts.map(({ event, outcome, count }) => ({
        labels: { event, outcome },
        value: count,
      })),
    },
    single('shorty_deliveries_pending', 'gauge', 'Deliveries that are not over.', pending),
    {
      name: 'shorty_webhook_oldest_pending_seconds',
      type: 'gauge',
      help: 'How long the oldest delivery that is due has waited for an attempt, by whether its endpoint answers in time.',
      samples: (['answering', 'slow'] as const).map((endpoint) => ({
        labels: { endpoint },
        value: overdueMs[endpoint] / 1000,
      })),
    },
    single(
      'shorty_dispatcher_idle_seconds',
      'gauge',
      'How long ago the dispatcher last looked for work.',
      sinceTurnMs / 1000,
    ),
  ];
}

export function threadFamilies(threads: readonly ObservedThread[]): Family[] {
  const samples = (value: (thread: ObservedThread) => number) =>
    threads.map((thread) => ({ labels: { thread: thread.name }, value: value(thread) }));
  return [
    {
      name: 'shorty_thread_failures_total',
      type: 'counter',
      help: 'Worker threads that ended unexpectedly and were replaced.',
      samples: samples(({ figures }) => figures.failures),
    },
    {
      name: 'shorty_thread_timeouts_total',
      type: 'counter',
      help: 'Calls of worker threads that exceeded their time limit.',
      samples: samples(({ figures }) => figures.timeouts),
    },
  ];
}

export function queueFamilies(queues: readonly FairQueue[]): Family[] {
  const samples = (value: (queue: FairQueue) => number) =>
    queues.map((queue) => ({ labels: { queue: queue.name }, value: value(queue) }));
  return [
    {
      name: 'shorty_queue_waiting',
      type: 'gauge',
      help: 'Tasks that wait for a shared thread.',
      samples: samples(({ figures }) => figures.waiting),
    },
    {
      name: 'shorty_queue_refused_total',
      type: 'counter',
      help: 'Tasks that were refused because their queue was full or they had waited too long.',
      samples: samples(({ figures }) => figures.refused),
    },
  ];
}

/** Nothing of a storage that is on another machine's disk. */
export function storageFamilies(size: StorageSize | undefined): Family[] {
  if (!size) return [];
  const { dataBytes, logBytes } = size;
  return [
    single('shorty_storage_bytes', 'gauge', 'Size of the database.', dataBytes),
    single('shorty_storage_log_bytes', 'gauge', 'Size of its write-ahead log.', logBytes),
  ];
}
