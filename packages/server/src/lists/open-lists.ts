import type { Logger } from 'pino';
import { FairQueue } from '../fair-queue.js';
import type { Database } from '../storage/database.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { findSearchIndex } from '../storage/postgres/search-index.js';
import { startSearchIndexer } from '../storage/sqlite/search-index.js';
import { decodeError, encodeError } from '../threads/error-transfer.js';
import { openThread } from '../threads/open-thread.js';
import type { ListFilter } from '../urls/url-query.js';
import { type Lists, listMethods } from './list-methods.js';
import { listThread } from './list-thread.js';

export interface ListsOptions {
  /** Whether a thread reads SQLite. Lists of PostgreSQL keep no thread busy. */
  readonly isThreaded: boolean;
  readonly storage: StorageOptions;
  /** Read when there is no thread. */
  readonly database: Database;
  /** The connections of a PostgreSQL. */
  readonly databaseConnections: number;
  readonly logger: Logger;
}

// Slices of lists take turns in the thread: each has `listTimeoutMs` of its own, and some run at once.
const timeLimitMs = 60_000;
// Without a thread: about a millisecond of the main thread.
const indexedAtOnce = 64;
const deepOffset = 10_000;

/** Opens the lists of the API. Organizations take turns, and plain lists do not queue behind searches. */
export function openLists(options: ListsOptions) {
  const { storage, database, databaseConnections, logger } = options;
  const isSqlite = database.engine === 'sqlite';
  // A quarter of a PostgreSQL's connections each, so that redirects and writes find one.
  const share = Math.max(1, Math.floor(databaseConnections / 4));
  const bounds = { maxWaiting: 512, maxWaitingPerOrganization: 64 };
  const plain = new FairQueue({ name: 'lists', concurrency: isSqlite ? 4 : share, ...bounds });
  const searches = new FairQueue({
    name: 'searches',
    concurrency: isSqlite ? 4 : share,
    // One organization's searches leave a place for another's.
    maxRunningPerOrganization: 1,
    ...bounds,
  });
  const thread = openThread(listThread, {
    isThreaded: options.isThreaded && isSqlite,
    data: storage,
    inline(emit) {
      const indexer = startSearchIndexer(database, {
        urlsAtOnce: indexedAtOnce,
        onError: (error) => emit({ error: encodeError(error, []) }),
      });
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
  /** Starts the thread. Tables are up to date by then. */
  async function start(): Promise<void> {
    thread.start();
    if (!isSqlite && (await findSearchIndex(database.read)) !== 'sound') {
      logger.warn('searches have no index: create the extension pg_trgm and run doctor');
    }
  }

  return { lists, queues: [plain, searches], thread, start };
}

/** Whether a list may read many links. */
function isSearch({ limit: _, offset, ...filters }: ListFilter): boolean {
  return offset > deepOffset || Object.values(filters).some((value) => value !== undefined);
}
