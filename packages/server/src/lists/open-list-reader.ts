import type { ThreadedReaderOptions } from '../analytics/reports/report-thread.js';
import { FairQueue } from '../fair-queue.js';
import { openThread } from '../threads/open-thread.js';
import type { UrlFilter } from '../urls/url-list-contract.js';
import { type Lists, listMethods, listThread } from './list-thread.js';

// Longer than `listTimeoutMs`, because lists wait for each other in the thread.
const timeLimitMs = 60_000;
const deepOffset = 10_000;
// A longer limit than that of other threads, because people wait for lists.
const idleLimitMs = 10 * 60_000;

/**
 * Opens the reader of the API's lists. Its queues are fair across organizations. Searches have their
 * own queue, so that other lists do not wait for them.
 */
export function openListReader(options: ThreadedReaderOptions) {
  const { storage, database, logger } = options;
  const concurrency = database.maxConcurrentLists;
  // The lists of one organization must not occupy all slots.
  const openQueue = (name: string, maxRunningPerOrganization: number) =>
    new FairQueue({
      name,
      concurrency,
      maxRunningPerOrganization,
      maxWaiting: 512,
      maxWaitingPerOrganization: 64,
    });
  const plain = openQueue('lists', Math.max(1, Math.floor(concurrency / 2)));
  const searches = openQueue('searches', 1);
  const thread = openThread(listThread, {
    // SQLite reads in the calling thread.
    isThreaded: options.isThreaded && database.engine === 'sqlite',
    data: storage,
    inline: () => ({ methods: listMethods(database) }),
    timeLimitMs,
    idleLimitMs,
    logger,
  });
  function queued<Name extends keyof Lists>(
    queue: FairQueue,
    name: Name,
    ...args: Parameters<Lists[Name]>
  ) {
    const [organizationId] = args;
    return queue.run(organizationId, () => thread.call(name, ...args));
  }
  const queueOf = (filter: UrlFilter) => (mayReadManyUrls(filter) ? searches : plain);
  const lists: Lists = {
    listUrls: (organizationId, filter, ...rest) =>
      queued(queueOf(filter), 'listUrls', organizationId, filter, ...rest),
    exportUrls: (organizationId, filter, ...rest) =>
      queued(queueOf(filter), 'exportUrls', organizationId, filter, ...rest),
    listTags: (...args) => queued(searches, 'listTags', ...args),
    findTagged: (...args) => queued(searches, 'findTagged', ...args),
    listQrs: (...args) => queued(plain, 'listQrs', ...args),
    listWebhooks: (...args) => queued(plain, 'listWebhooks', ...args),
    listDeliveries: (...args) => queued(plain, 'listDeliveries', ...args),
    readAttempts: (...args) => queued(plain, 'readAttempts', ...args),
    listApiKeys: (...args) => queued(plain, 'listApiKeys', ...args),
    listAuditEntries: (...args) => queued(searches, 'listAuditEntries', ...args),
    listAllAuditEntries: (...args) => queued(searches, 'listAllAuditEntries', ...args),
    listClients: (...args) => queued(plain, 'listClients', ...args),
    listOrganizations: (...args) => queued(plain, 'listOrganizations', ...args),
    listUsage: (...args) => queued(plain, 'listUsage', ...args),
    listTakedowns: (...args) => queued(plain, 'listTakedowns', ...args),
    listHostRules: (...args) => queued(plain, 'listHostRules', ...args),
    listDomains: (...args) => queued(plain, 'listDomains', ...args),
  };
  /** Warns of searches without an index. The migrations must have been applied. */
  async function start(): Promise<void> {
    if (!(await database.hasSearchIndex())) {
      logger.warn(
        'searches have no index: create the extension pg_trgm and start the server again',
      );
    }
  }

  return { lists, queues: [plain, searches], thread, start, stop: () => thread.stop() };
}

/** The fields of a filter that select a range of the index of links. */
const rangeFields: readonly (keyof UrlFilter)[] = [
  'limit',
  'offset',
  'after',
  'createdSince',
  'createdUntil',
  'order',
];

/** Returns whether a query may read many links. */
function mayReadManyUrls(filter: UrlFilter): boolean {
  const { offset, sort, ...others } = filter;
  return (
    offset > deepOffset ||
    (sort !== undefined && sort !== 'createdAt') ||
    Object.entries(others).some(
      ([name, value]) => value !== undefined && !rangeFields.includes(name as keyof UrlFilter),
    )
  );
}
