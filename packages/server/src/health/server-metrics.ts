import type { Registry } from 'prom-client';
import type { AnalyticsModule } from '../analytics/analytics-module.js';
import { eventTypes } from '../events/event-types.js';
import type { FairQueue } from '../fair-queue.js';
import type { Database } from '../storage/database.js';
import type { ObservedThread } from '../threads/define-thread.js';
import { version } from '../version.js';
import type { DispatchFigures } from '../webhooks/webhook-dispatcher.js';
import type { ErrorLog } from './error-log.js';
import { registerMetric, type Sample, type ScrapedMetric } from './request-metrics.js';

export interface BackupFigures {
  /** The longest time between two backups of the schedule. */
  readonly intervalMs: number;
  readonly lastSuccessAt: number;
  readonly failures: number;
}

export interface MetricSources {
  readonly database: Database;
  readonly visitFigures: AnalyticsModule['figures'];
  readonly countriesBuiltAt: AnalyticsModule['countriesBuiltAt'];
  readonly dispatchFigures: () => DispatchFigures;
  readonly threads: () => readonly ObservedThread[];
  readonly queues: readonly FairQueue[];
  readonly errorLog: ErrorLog;
  readonly droppedLogLines: () => number;
  readonly backupFigures: () => BackupFigures;
  readonly uncheckedTargets: () => number;
}

type Metrics = Readonly<Record<string, Omit<ScrapedMetric, 'name'>>>;

// An alert on an increase misses the first attempt unless its time series starts at zero.
const noAttempts = eventTypes.flatMap((event) =>
  ['delivered', 'retried', 'failed'].map((outcome): Sample => [`${event}/${outcome}`, 0]),
);

export function registerServerMetrics(registry: Registry, sources: MetricSources): void {
  const { database, visitFigures, countriesBuiltAt, dispatchFigures, threads, queues } = sources;
  const { errorLog, droppedLogLines, backupFigures } = sources;
  const perQueue = (value: (figures: FairQueue['figures']) => number) =>
    queues.map(({ name, figures }): Sample => [name, value(figures)]);
  const metrics: Metrics = {
    shorty_build_info: {
      help: 'Always 1, with the version of the server as a label.',
      labelNames: ['version'],
      read: () => [[version, 1]],
    },
    shorty_visits_total: {
      help: 'Visits by kind and reason. Those of the kind human are clicks.',
      labelNames: ['kind', 'reason'],
      read: () => visitFigures().visits,
    },
    shorty_journal_lines_stored_total: {
      help: 'Redirects, image downloads and API calls that were stored in the database.',
      read: () => visitFigures().stored,
    },
    shorty_journal_waiting: {
      help: 'Lines of the journal that are not in the database yet.',
      read: () => Math.max(0, visitFigures().recorded - visitFigures().stored),
    },
    shorty_journal_lines_in_memory: {
      help: 'Redirects, image downloads and API calls that are only in memory, because the journal cannot be written.',
      read: () => visitFigures().inMemory,
    },
    shorty_journal_lines_lost_total: {
      help: 'Redirects, image downloads and API calls that were lost, because 64 MB of them waited in memory.',
      read: () => visitFigures().lost,
    },
    shorty_click_events_dropped_total: {
      help: 'Events of url.clicked that were not written, because too many waited for their webhook.',
      read: () => visitFigures().droppedEvents,
    },
    shorty_journal_damaged_lines: {
      help: 'Lines of journals that cannot be stored, in the file damaged-lines.ndjson.',
      read: () => visitFigures().damagedLines,
    },
    shorty_visits_fault: {
      help: '1 while visits cannot be stored.',
      read: () => Number(visitFigures().isFailing),
    },
    shorty_country_database_built_timestamp_seconds: {
      help: 'When the country database was built, in seconds since 1970. 0 when it cannot be read.',
      read: () => Math.floor((countriesBuiltAt() ?? 0) / 1000),
    },
    shorty_delivery_attempts_total: {
      help: 'Delivery attempts by event type and outcome: delivered, retried or failed.',
      labelNames: ['event', 'outcome'],
      read: () => [...noAttempts, ...dispatchFigures().attempts],
    },
    shorty_deliveries_pending: {
      help: 'Deliveries that are pending, also those of paused webhooks and suspended organizations. At most 100,000 are counted.',
      read: () => dispatchFigures().pending,
    },
    shorty_webhook_oldest_pending_seconds: {
      help: 'Time since the oldest due delivery became due, by whether its endpoint responds in time.',
      labelNames: ['endpoint'],
      read() {
        const { answering, slow } = dispatchFigures().overdueMs;
        return Object.entries({ answering: answering / 1000, slow: slow / 1000 });
      },
    },
    shorty_dispatcher_idle_seconds: {
      help: 'Time since the webhook dispatcher last completed a pass.',
      read: () => dispatchFigures().sinceTickMs / 1000,
    },
    shorty_thread_failures_total: {
      help: 'Times that a worker thread ended unexpectedly and was replaced.',
      labelNames: ['thread'],
      read: () => threads().map(({ name, figures }) => [name, figures.failures]),
    },
    shorty_queue_waiting: {
      help: 'Tasks that wait in a queue.',
      labelNames: ['queue'],
      read: () => perQueue(({ waiting }) => waiting),
    },
    shorty_queue_refused_total: {
      help: 'Tasks that were refused because their queue was full or they had waited too long.',
      labelNames: ['queue'],
      read: () => perQueue(({ refused }) => refused),
    },
    shorty_uncaught_errors_total: {
      help: 'Unexpected errors by source. Each one is a defect.',
      labelNames: ['source'],
      read: () => [
        ...Object.entries(errorLog.uncaught),
        ...threads().map(({ figures }): Sample => ['thread', figures.uncaughtErrors]),
      ],
    },
    shorty_log_lines_dropped_total: {
      help: 'Log lines that were dropped, because stderr could not be written.',
      read: droppedLogLines,
    },
    shorty_safe_dns_unanswered_total: {
      help: 'Hosts of targets that were accepted unchecked, because a resolver did not answer in time.',
      read: sources.uncheckedTargets,
    },
    shorty_unavailable_responses_total: {
      help: 'Responses with status 503, by error: a full queue, or an outage of storage or of a worker thread.',
      labelNames: ['error'],
      read: () => errorLog.unavailable,
    },
    shorty_backup_interval_seconds: {
      help: 'Longest time between two scheduled backups. 0 without a schedule.',
      read: () => backupFigures().intervalMs / 1000,
    },
    shorty_backup_last_success_timestamp_seconds: {
      help: 'When the latest scheduled backup was created and verified, in seconds since 1970. 0 when there is none.',
      read: () => Math.floor(backupFigures().lastSuccessAt / 1000),
    },
    shorty_backup_failures_total: {
      help: 'Scheduled backups that failed, or contain visits that cannot be read.',
      read: () => backupFigures().failures,
    },
    ...storageMetrics(database),
  };
  for (const [name, metric] of Object.entries(metrics))
    registerMetric(registry, { name, ...metric });
}

/** Returns the size of a SQLite database. The disk of PostgreSQL is monitored on its own machine. */
function storageMetrics(database: Database): Metrics {
  if (!database.size()) return {};
  return {
    shorty_storage_bytes: {
      help: 'Size of the database.',
      read: () => database.size()?.dataBytes ?? 0,
    },
    shorty_storage_log_bytes: {
      help: 'Size of the write-ahead log.',
      read: () => database.size()?.logBytes ?? 0,
    },
  };
}
