import type { Clock } from '../ports.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import type { UrlRepository } from './url-repository.js';

// Limits the time that one transaction blocks the event loop and holds the write lock.
const batchSize = 50;

/**
 * Deactivates links whose `expiresAt` has passed, with their events, until the signal aborts. Returns
 * their number. Redirects are served between batches.
 */
export async function expireUrls(
  urls: Pick<UrlRepository, 'expireDue'>,
  clock: Clock,
  signal?: AbortSignal,
): Promise<number> {
  const now = clock();
  let expired = 0;
  for (let batch = batchSize; batch === batchSize && !signal?.aborted; ) {
    batch = (await urls.expireDue(now, batchSize)).length;
    expired += batch;
    await yieldToEventLoop();
  }
  return expired;
}
