import type { Clock } from '../ports.js';
import type { UrlRepository } from './url-repository.js';

// One transaction holds the write lock for so many links at the most.
const batchSize = 500;

/** Turns links whose time has come inactive, with their events; how many. */
export async function expireUrls(urls: UrlRepository, clock: Clock): Promise<number> {
  const now = clock();
  let expired = 0;
  while (await urls.hasDue(now)) {
    expired += (await urls.expireDue(now, batchSize)).length;
  }
  return expired;
}
