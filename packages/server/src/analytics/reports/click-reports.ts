import type { Logger } from 'pino';
import { FairQueue } from '../../fair-queue.js';
import type { Database } from '../../storage/database.js';
import type { StorageOptions } from '../../storage/open-storage.js';
import { openThread } from '../../threads/open-thread.js';
import type { ClickReader } from './click-reader.js';
import { reportMethods, reportThread } from './report-thread.js';

type Args<Name extends keyof ClickReader> = Parameters<ClickReader[Name]>;
type Result<Name extends keyof ClickReader> = ReturnType<ClickReader[Name]>;

/** Reads reports on clicks and scans for an organization, which waits for its turn. */
export interface ClickReports {
  readUrl(organizationId: string, ...args: Args<'readUrl'>): Result<'readUrl'>;
  readScans(organizationId: string, ...args: Args<'readScans'>): Result<'readScans'>;
  readOrganization(...args: Args<'readOrganization'>): Result<'readOrganization'>;
}

export interface ClickReportsOptions {
  readonly isThreaded: boolean;
  readonly storage: StorageOptions;
  /** Read when there is no thread. */
  readonly database: Database;
  readonly logger: Logger;
}

const timeLimitMs = 20_000;
// SQLite reads one report at a time in any case; on PostgreSQL reports share connections.
const sqliteConcurrency = 1;
const postgresConcurrency = 4;

export function openClickReports({ isThreaded, storage, database, logger }: ClickReportsOptions) {
  const queue = new FairQueue({
    name: 'reports',
    concurrency: database.engine === 'postgres' ? postgresConcurrency : sqliteConcurrency,
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
  const reports: ClickReports = {
    readUrl: (organizationId, ...args) =>
      queue.run(organizationId, () => thread.call('readUrl', ...args)),
    readScans: (organizationId, ...args) =>
      queue.run(organizationId, () => thread.call('readScans', ...args)),
    readOrganization: (organizationId, ...args) =>
      queue.run(organizationId, () => thread.call('readOrganization', organizationId, ...args)),
  };
  return { ...reports, queue, thread };
}
