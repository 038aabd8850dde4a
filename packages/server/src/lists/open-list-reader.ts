import type { Logger } from 'pino';
import { FairQueue } from '../fair-queue.js';
import type { Database } from '../storage/database.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { decodeError, encodeError } from '../threads/error-transfer.js';
import { openThread } from '../threads/open-thread.js';
import type { UrlFilter } from '../urls/url-contract.js';
import { type Lists, listMethods } from './list-methods.js';
import { listThread } from './list-thread.js';

export interface ListReaderOptions {
  /** Whether an embedded database is read in a thread. */
  readonly isThreaded: boolean;
  readonly storage: StorageOptions;
  /** The database to read without a thread. */
  readonly database: Database;
  readonly logger: Logger;
}

// Longer than `listTimeoutMs`, because several lists share the thread in slices.
const timeLimitMs = 60_000;
const deepOffset = 10_000;

/**
 * Opens the reader of the API's lists. Its queues are fair across organizations. Searches have their
 * own queue, so that other lists do not wait for them.
 */
export function openListReader(options: ListReaderOptions) {
  const { storage, database, logger } = options;
  const concurrency = database.maxConcurrentLists;
  const bounds = { maxWaiting: 512, maxWaitingPerOrganization: 64 };
  const plain = new FairQueue({
    name: 'lists',
    concurrency,
    // The lists of one organization must not occupy all slots.
    maxRunningPerOrganization: Math.max(1, Math.floor(concurrency / 2)),
    ...bounds,
  });
  const searches = new FairQueue({
    name: 'searches',
    concurrency,
    // The searches of one organization must not occupy all slots.
    maxRunningPerOrganization: 1,
    ...bounds,
  });
  const thread = openThread(listThread, {
    // SQLite reads in the calling thread.
    isThreaded: options.isThreaded && database.engine === 'sqlite',
    data: storage,
    inline(emit) {
      const indexer = database.searchIndex.startIndexer((error) =>
        emit({ error: encodeError(error, []) }),
      );
      return { methods: listMethods(database), stop: () => indexer.stop() };
    },
    onEvent: ({ error }) =>
      logger.error({ err: decodeError(error, []) }, 'search index update failed'),
    timeLimitMs,
    logger,
  });
  const lists: Lists = {
    listUrls: (organizationId, filter, now) =>
      (isSearch(filter) ? searches : plain).run(organizationId, () =>
        thread.call('listUrls', organizationId, filter, now),
      ),
    listQrs: (organizationId, filter) =>
      plain.run(organizationId, () => thread.call('listQrs', organizationId, filter)),
    listWebhooks: (organizationId, page) =>
      plain.run(organizationId, () => thread.call('listWebhooks', organizationId, page)),
    listDeliveries: (organizationId, webhookId, filter) =>
      plain.run(organizationId, () =>
        thread.call('listDeliveries', organizationId, webhookId, filter),
      ),
    listDomains: (organizationId, filter) =>
      plain.run(organizationId, () => thread.call('listDomains', organizationId, filter)),
  };
  /** Starts the thread. The migrations must have been applied. */
  async function start(): Promise<void> {
    thread.start();
    if (!(await database.searchIndex.exists())) {
      logger.warn('searches have no index: create the extension pg_trgm and run doctor');
    }
  }

  return { lists, queues: [plain, searches], thread, start };
}

/** Returns whether a query may read many links. */
function isSearch({ limit: _, offset, ...filters }: UrlFilter): boolean {
  return offset > deepOffset || Object.values(filters).some((value) => value !== undefined);
}
