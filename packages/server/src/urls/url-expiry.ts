import type { Clock } from '../ports.js';
import type { UrlRepository } from './url-repository.js';

// Limits the time that one transaction holds the write lock.
const batchSize = 500;

/** Deactivates links whose `expiresAt` has passed, with their events, and returns their number. */
export async function expireUrls(urls: UrlRepository, clock: Clock): Promise<number> {
  const now = clock();
  let expired = 0;
  while (await urls.hasDue(now)) {
    expired += (await urls.expireDue(now, batchSize)).length;
  }
  return expired;
}
