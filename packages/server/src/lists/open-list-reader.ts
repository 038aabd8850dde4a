import type { ThreadedReaderOptions } from '../analytics/reports/report-thread.js';
import { openFairQueue } from '../fair-queue.js';
import { openThread } from '../threads/open-thread.js';
import type { UrlFilter } from '../urls/url-contract.js';
import { type Lists, listMethods, listThread } from './list-thread.js';

// Longer than a statement may take, because lists wait for each other in the thread.
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
    openFairQueue({
      name,
      concurrency,
      maxRunningPerOrganization,
      maxWaiting: 512,
      maxWaitingPerOrganization: 64,
    });
  const plain = openQueue('lists', Math.max(1, Math.floor(concurrency / 2)));
  const searches = openQueue('searches', 1);
  const methods = listMethods(database);
  const thread = openThread(listThread, {
    // SQLite reads in the calling thread.
    isThreaded: options.isThreaded && database.engine === 'sqlite',
    data: storage,
    inline: () => ({ methods }),
    timeLimitMs,
    idleLimitMs,
    logger,
  });
  const queued = Object.keys(methods).map((key) => {
    const name = key as keyof Lists;
    const read = (...args: Parameters<Lists[typeof name]>) => {
      const [organizationId, filter] = args;
      const queue = mayReadManyRows(name, filter) ? searches : plain;
      return queue.run(organizationId, () => thread.call(name, ...args));
    };
    return [name, read];
  });
  const lists: Lists = Object.fromEntries(queued);
  return { lists, queues: [plain, searches], threads: [thread], stop: () => thread.stop() };
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

const searching: readonly (keyof Lists)[] = [
  'listTags',
  'findTagged',
  'findFailed',
  'listAuditEntries',
  'listAllAuditEntries',
];

/** Returns whether a list may read many rows that it does not return. */
function mayReadManyRows(name: keyof Lists, filter: unknown): boolean {
  if (name !== 'listUrls') return searching.includes(name);
  const { offset, sort, ...others } = filter as UrlFilter;
  return (
    offset > deepOffset ||
    (sort !== undefined && sort !== 'createdAt') ||
    Object.entries(others).some(
      ([field, value]) => value !== undefined && !rangeFields.includes(field as keyof UrlFilter),
    )
  );
}
