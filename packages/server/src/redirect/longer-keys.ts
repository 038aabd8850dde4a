import { decodeUnreserved } from '../http/request-target.js';
import { StorageUnavailableError } from '../storage/database.js';
import { isCodeSegment, maxCodeLength } from '../urls/url-keys.js';
import type { UrlReader } from '../urls/url-reader.js';

interface KeyOfPath {
  readonly key: string;
  readonly rest: string;
}

/** Returns the keys with slashes that links on a domain have and that a path begins with, the longest first. */
export async function findLongerKeys(
  urls: Pick<UrlReader, 'findUsed'>,
  domainId: string | null,
  path: string,
  folds: boolean,
): Promise<KeyOfPath[]> {
  const candidates = candidatesOf(path);
  const keys = candidates.map(({ key }) => key);
  try {
    const used = await urls.findUsed(domainId, keys, folds);
    return candidates.filter(({ key }) => used.includes(key));
  } catch (error) {
    // Cached links redirect while storage is unavailable.
    if (error instanceof StorageUnavailableError) return [];
    throw error;
  }
}

/** Returns the keys of several segments that a path may begin with, the longest first. */
function candidatesOf(path: string): KeyOfPath[] {
  const candidates: KeyOfPath[] = [];
  let key = '';
  let end = 0;
  // A stranger may send any number of segments, so it stops at the longest key.
  while (end < path.length) {
    const next = path.indexOf('/', end + 1);
    const start = end + 1;
    end = next < 0 ? path.length : next;
    const segment = decodeUnreserved(path.slice(start, end));
    key += key === '' ? segment : `/${segment}`;
    if (!isCodeSegment(segment) || key.length > maxCodeLength) break;
    const rest = path.slice(end);
    if (start > 1) candidates.unshift({ key, rest: rest === '/' ? '' : rest });
  }
  return candidates;
}
