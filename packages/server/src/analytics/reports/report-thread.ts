import type { Logger } from 'pino';
import { ApiError } from '../../contract/api-error.js';
import { toJsonText } from '../../contract/json-text.js';
import { openFairQueue } from '../../fair-queue.js';
import { type Database, StorageUnavailableError } from '../../storage/database.js';
import { openStorage, type StorageOptions } from '../../storage/open-storage.js';
import { defineThread } from '../../threads/define-thread.js';
import { openThread } from '../../threads/open-thread.js';
import { ReportTooLargeError, reportTimeoutMs } from './report-limits.js';
import { ReportReader } from './report-reader.js';

type Args<Name extends keyof ReportReader> = Parameters<ReportReader[Name]>;
type ReportMethods = ReturnType<typeof reportMethods>;

/** Returns the methods of the thread. Threads exchange text much faster than objects. */
function reportMethods(database: Database) {
  const reader = new ReportReader(database);
  return {
    readClicks: async (...args: Args<'readClicks'>) => toJsonText(await reader.readClicks(...args)),
    readScans: async (...args: Args<'readScans'>) => toJsonText(await reader.readScans(...args)),
    readOverview: (...args: Args<'readOverview'>) => reader.readOverview(...args),
    async readVisits(...args: Args<'readVisits'>) {
      const page = await reader.readVisits(...args);
      return { ...page, text: toJsonText(page.text) };
    },
  };
}

// Reports run in slices, so a short one does not wait for a long one.
const concurrency = 4;

/** Reads reports in a separate thread, so redirects do not wait for them. */
export const reportThread = defineThread({
  name: 'reports',
  file: import.meta.url,
  priority: 'low',
  errorClasses: [ReportTooLargeError, StorageUnavailableError],
  resourceLimits: { maxOldGenerationSizeMb: 2048 },
  start(storage: StorageOptions) {
    const database = openStorage(storage);
    return { methods: reportMethods(database), stop: () => database.close() };
  },
});

export interface ThreadedReaderOptions {
  readonly isThreaded: boolean;
  /** The thread opens its own connection with these options. */
  readonly storage: StorageOptions;
  /** Used when there is no thread. */
  readonly database: Database;
  readonly logger: Logger;
}

// They share the thread in slices.
const timeLimitMs = concurrency * reportTimeoutMs + 10_000;

/** Opens the thread that reads reports, and the queue in front of it. */
export function openReports({ isThreaded, storage, database, logger }: ThreadedReaderOptions) {
  const queue = openFairQueue({
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
    inline: () => ({ methods: reportMethods(database), async stop() {} }),
    timeLimitMs,
    logger,
  });
  /**
   * Calls a method of the reader, whose first argument is the organization. When many calls wait, the
   * organizations take turns. Throws UNAVAILABLE when the report is too large.
   */
  async function read<Name extends keyof ReportMethods>(
    name: Name,
    ...args: Parameters<ReportMethods[Name]>
  ) {
    try {
      return await queue.run(args[0], () => thread.call(name, ...args));
    } catch (error) {
      if (!(error instanceof ReportTooLargeError)) throw error;
      throw new ApiError('UNAVAILABLE', error.message, { cause: error });
    }
  }
  return { read, queue, thread };
}

export type Reports = Pick<ReturnType<typeof openReports>, 'read'>;
