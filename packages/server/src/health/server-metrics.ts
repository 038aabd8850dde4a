import type { Registry } from 'prom-client';
import type { VisitFigures } from '../analytics/ingest/visit-pipeline.js';
import { eventTypes } from '../events/event-types.js';
import type { FairQueue } from '../fair-queue.js';
import type { Database } from '../storage/database.js';
import type { ObservedThread } from '../threads/thread.js';
import type { DispatchFigures } from '../webhooks/webhook-dispatcher.js';
import type { ErrorLog } from './error-log.js';
import { registerMetric, type Sample } from './scraped-metric.js';

export interface MetricSources {
  readonly database: Database;
  /** Undefined before the start. */
  readonly visitFigures: () => VisitFigures | undefined;
  readonly dispatchFigures: () => DispatchFigures;
  readonly threads: () => readonly ObservedThread[];
  readonly queues: readonly FairQueue[];
  readonly errorLog: ErrorLog;
}

/** Registers the metrics of the server's parts. */
export function registerServerMetrics(registry: Registry, sources: MetricSources): void {
  registerVisitMetrics(registry, sources.visitFigures);
  registerDeliveryMetrics(registry, sources.dispatchFigures);
  registerStorageMetrics(registry, sources.database);
  registerThreadMetrics(registry, sources.threads);
  registerQueueMetrics(registry, sources.queues);
  registerErrorMetrics(registry, sources);
}

function registerVisitMetrics(registry: Registry, figures: MetricSources['visitFigures']): void {
  registerMetric(registry, {
    name: 'shorty_visits_total',
    help: 'Redirects, image downloads and API calls that were recorded.',
    read: () => figures()?.recorded ?? 0,
  });
  registerMetric(registry, {
    name: 'shorty_visits_stored_total',
    help: 'Visits that were stored in the database.',
    read: () => figures()?.stored ?? 0,
  });
  registerMetric(registry, {
    name: 'shorty_journal_waiting',
    help: 'Lines of the journal that are not in the database yet.',
    read() {
      const { recorded = 0, stored = 0 } = figures() ?? {};
      return Math.max(0, recorded - stored);
    },
  });
  registerMetric(registry, {
    name: 'shorty_visits_in_memory',
    help: 'Visits that are only in memory, because the journal cannot be written.',
    read: () => figures()?.inMemory ?? 0,
  });
  registerMetric(registry, {
    name: 'shorty_visits_fault',
    help: '1 while visits cannot be stored.',
    read: () => (figures()?.isFailing ? 1 : 0),
  });
}

// An alert on an increase misses the first attempt unless its time series starts at zero.
const noAttempts = eventTypes.flatMap((event) =>
  ['delivered', 'retried', 'failed'].map((outcome) => ({ labels: { event, outcome }, value: 0 })),
);

function registerDeliveryMetrics(registry: Registry, figures: () => DispatchFigures): void {
  registerMetric(registry, {
    name: 'shorty_delivery_attempts_total',
    help: 'Delivery attempts by event type and outcome: delivered, retried or failed.',
    labelNames: ['event', 'outcome'],
    read() {
      const counts = figures().attempts.map(({ event, outcome, count }) => ({
        labels: { event, outcome },
        value: count,
      }));
      return [...noAttempts, ...counts];
    },
  });
  registerMetric(registry, {
    name: 'shorty_deliveries_pending',
    help: 'Deliveries that are pending. At most 100,000 are counted.',
    read: () => figures().pending,
  });
  registerMetric(registry, {
    name: 'shorty_webhook_oldest_pending_seconds',
    help: 'Time since the oldest due delivery became due, by whether its endpoint responds in time.',
    labelNames: ['endpoint'],
    read() {
      const { answering, slow } = figures().overdueMs;
      return [
        { labels: { endpoint: 'answering' }, value: answering / 1000 },
        { labels: { endpoint: 'slow' }, value: slow / 1000 },
      ];
    },
  });
  registerMetric(registry, {
    name: 'shorty_dispatcher_idle_seconds',
    help: 'Time since the webhook dispatcher last queried due deliveries.',
    read: () => figures().sinceTickMs / 1000,
  });
}

/** Registers the size of a SQLite database. The disk of PostgreSQL is monitored on its own machine. */
function registerStorageMetrics(registry: Registry, database: Database): void {
  if (!database.size()) return;
  registerMetric(registry, {
    name: 'shorty_storage_bytes',
    help: 'Size of the database.',
    read: () => database.size()?.dataBytes ?? 0,
  });
  registerMetric(registry, {
    name: 'shorty_storage_log_bytes',
    help: 'Size of the write-ahead log.',
    read: () => database.size()?.logBytes ?? 0,
  });
}

function registerThreadMetrics(registry: Registry, threads: MetricSources['threads']): void {
  const labelNames = ['thread'];
  const perThread = (value: (thread: ObservedThread) => number) => () =>
    threads().map((thread) => ({ labels: { thread: thread.name }, value: value(thread) }));
  registerMetric(registry, {
    name: 'shorty_thread_failures_total',
    help: 'Times that a worker thread ended unexpectedly and was replaced.',
    labelNames,
    read: perThread(({ figures }) => figures.failures),
  });
  registerMetric(registry, {
    name: 'shorty_thread_timeouts_total',
    help: 'Calls to worker threads that exceeded their time limit.',
    labelNames,
    read: perThread(({ figures }) => figures.timeouts),
  });
}

function registerQueueMetrics(registry: Registry, queues: readonly FairQueue[]): void {
  const labelNames = ['queue'];
  const perQueue = (value: (queue: FairQueue) => number) => () =>
    queues.map((queue) => ({ labels: { queue: queue.name }, value: value(queue) }));
  registerMetric(registry, {
    name: 'shorty_queue_waiting',
    help: 'Tasks that wait in a queue.',
    labelNames,
    read: perQueue(({ figures }) => figures.waiting),
  });
  registerMetric(registry, {
    name: 'shorty_queue_refused_total',
    help: 'Tasks that were refused because their queue was full or they had waited too long.',
    labelNames,
    read: perQueue(({ figures }) => figures.refused),
  });
}

function registerErrorMetrics(registry: Registry, { errorLog, threads }: MetricSources): void {
  registerMetric(registry, {
    name: 'shorty_uncaught_errors_total',
    help: 'Unexpected errors by source. Each one is a defect.',
    labelNames: ['source'],
    read: () => [
      ...toSamples('source', Object.entries(errorLog.uncaught)),
      ...threads().map(({ figures }) => ({
        labels: { source: 'thread' },
        value: figures.uncaughtErrors,
      })),
    ],
  });
  registerMetric(registry, {
    name: 'shorty_unavailable_responses_total',
    help: 'Responses with status 503, by error: a full queue, or an outage of storage or of a worker thread.',
    labelNames: ['error'],
    read: () => toSamples('error', errorLog.unavailable),
  });
}

function toSamples(label: string, values: Iterable<readonly [string, number]>): Sample[] {
  return [...values].map(([text, value]) => ({ labels: { [label]: text }, value }));
}
