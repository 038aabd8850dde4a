import type { Logger } from 'pino';
import { FairQueue } from '../../fair-queue.js';
import type { Database } from '../../storage/database.js';
import type { StorageOptions } from '../../storage/open-storage.js';
import { openThread } from '../../threads/open-thread.js';
import type { ReportReader } from './report-reader.js';
import { reportMethods, reportThread } from './report-thread.js';

type Args<Name extends keyof ReportReader> = Parameters<ReportReader[Name]>;
type Result<Name extends keyof ReportReader> = ReturnType<ReportReader[Name]>;

/** Reads reports. When many wait, the organizations take turns. */
export interface Reports {
  readClicks(organizationId: string, ...args: Args<'readClicks'>): Result<'readClicks'>;
  readScans(organizationId: string, ...args: Args<'readScans'>): Result<'readScans'>;
  readOverview(...args: Args<'readOverview'>): Result<'readOverview'>;
}

export interface ReportsOptions {
  readonly isThreaded: boolean;
  /** The thread opens its own connection with these options. */
  readonly storage: StorageOptions;
  /** Used when there is no thread. */
  readonly database: Database;
  readonly logger: Logger;
}

// Longer than `reportTimeoutMs`, because several reports share the thread in slices.
const timeLimitMs = 90_000;
const concurrency = 4;

/** Opens the thread that reads reports, and the queue in front of it. */
export function openReports({ isThreaded, storage, database, logger }: ReportsOptions) {
  const queue = new FairQueue({
    name: 'reports',
    concurrency,
    // The reports of one organization must not occupy all slots.
    maxRunningPerOrganization: concurrency / 2,
    maxWaiting: 512,
    maxWaitingPerOrganization: 64,
  });
  const thread = openThread(reportThread, {
    isThreaded,
    data: storage,
    inline: () => ({ methods: reportMethods(database) }),
    timeLimitMs,
    logger,
  });
  const reports: Reports = {
    readClicks: (organizationId, ...args) =>
      queue.run(organizationId, () => thread.call('readClicks', ...args)),
    readScans: (organizationId, ...args) =>
      queue.run(organizationId, () => thread.call('readScans', ...args)),
    readOverview: (organizationId, ...args) =>
      queue.run(organizationId, () => thread.call('readOverview', organizationId, ...args)),
  };
  return { ...reports, queue, thread };
}
