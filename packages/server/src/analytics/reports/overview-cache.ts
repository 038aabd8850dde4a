import { createHash } from 'node:crypto';
import type { ScannedUrl } from '../ingest/scanned-url.js';
import { bytesOfClicks, type CountedClicks, releaseClicks } from './counted-clicks.js';
import type { Int32Pool } from './int32-pool.js';
import {
  countVisits,
  includesChunks,
  type OrganizationChunk,
  timeRangeOf,
  withoutChunks,
} from './organization-chunks.js';
import { maxKeyBytes } from './report-limits.js';
import type { VisitQuery, Window } from './report-window.js';
import { utc } from './time-zone.js';

/** The counts of some chunks of an organization. */
export interface CachedClicks {
  readonly organizationId: string;
  readonly clicks: CountedClicks;
  /** The chunks, in ascending order. */
  readonly chunks: readonly OrganizationChunk[];
  readonly scans: { readonly total: number; readonly proven: number };
  /** The hash of the QR codes that existed until the last visit. They decide which clicks are scans. */
  readonly codes: string;
}

/** Counts that a report uses. */
export type UsedClicks = CachedClicks;

interface Entry extends CachedClicks {
  readonly key: string;
  readonly visits: number;
  /** The time range of the visits. */
  readonly since: number;
  readonly until: number;
  readonly bytes: number;
  /** The number of reports that use it. It is evicted only without any. */
  users: number;
}

export interface OverviewCacheLimits {
  readonly maxBytes?: number;
  /** Fewer visits are not cached. */
  readonly minVisits?: number;
  /** The number of other visits up to which a report uses counts, however few these have. */
  readonly minRest?: number;
}

// A quarter of the memory for keys. Ten million visits need 36 MB if visitors return often, and 270 MB if
// each visitor and address is another one.
const defaultMaxBytes = Math.min(maxKeyBytes / 4, 512 * 1024 * 1024);
// Counting them takes about 20 ms.
const defaultMinVisits = 65_536;
const defaultMinRest = 32_768;
const maxEntriesOfKey = 3;
const maxExcluded = 1_000;
// The next window begins later. The cache has no visits from this share of the window, by time and by
// visits, so that it remains within the next windows.
const leadShare = 1 / 128;
// When a larger share of the visits is not in the cache, the report adds them to it.
const maxRestShare = 1 / 32;
// A change of more visits takes as long as counting all.
const maxChangedShare = 1 / 2;

/**
 * Caches what overviews have counted in the chunks of organizations, so that the next one counts only
 * the other visits. A use compares the list of chunks with the snapshot of the report, so the cache
 * needs no notice of compactions, erasures or other nodes.
 */
export class OverviewCache {
  readonly #maxBytes: number;
  readonly #minVisits: number;
  readonly #minRest: number;
  /** The entry that was used last is the last one. */
  readonly #entries = new Set<Entry>();
  /** The keys of overviews that have too many values to count them exactly in one pass, or are too large. */
  readonly #excluded = new Set<string>();

  /** `pool` has the keys of the entries, and evicts them when reports need its memory. */
  constructor(pool: Int32Pool, limits: OverviewCacheLimits = {}) {
    this.#maxBytes = limits.maxBytes ?? defaultMaxBytes;
    this.#minVisits = limits.minVisits ?? defaultMinVisits;
    this.#minRest = limits.minRest ?? defaultMinRest;
    pool.setEviction(() => this.#evict());
  }

  /** The approximate size of all entries in memory. */
  get bytes(): number {
    let bytes = 0;
    for (const entry of this.#entries) bytes += entry.bytes;
    return bytes;
  }

  /**
   * Returns counts whose chunks are all stored, unchanged and within the window; undefined if there are
   * none, or if they have too few of the visits. The caller must call `release`.
   */
  find(
    key: string,
    { since, until }: Window,
    stored: readonly OrganizationChunk[],
    scannedUrls: ReadonlyMap<number, ScannedUrl>,
  ): UsedClicks | undefined {
    const visits = countVisits(stored);
    for (const entry of [...this.#entries].reverse()) {
      if (entry.key !== key || entry.since < since || entry.until > until) continue;
      if (!includesChunks(stored, entry.chunks)) {
        if (entry.users === 0) this.#remove(entry);
        continue;
      }
      if (this.#isTooMuch(visits - entry.visits, visits)) continue;
      if (entry.codes !== hashCodes(scannedUrls, entry.until)) continue;
      return this.#use(entry);
    }
    return undefined;
  }

  /**
   * Returns the newest counts from which those of `chunks` can be derived in less time than counting all
   * of them takes; undefined if there are none. The caller must call `release`.
   */
  findSimilar(
    key: string,
    chunks: readonly OrganizationChunk[],
    scannedUrls: ReadonlyMap<number, ScannedUrl>,
  ): UsedClicks | undefined {
    const limit = countVisits(chunks) * maxChangedShare;
    for (const entry of [...this.#entries].reverse()) {
      if (entry.key !== key) continue;
      const removed = withoutChunks(entry.chunks, chunks);
      const added = withoutChunks(chunks, entry.chunks);
      if (countVisits(removed) + countVisits(added) > limit) continue;
      if (entry.codes === hashCodes(scannedUrls, entry.until)) return this.#use(entry);
    }
    return undefined;
  }

  #use(entry: Entry): UsedClicks {
    this.#entries.delete(entry);
    this.#entries.add(entry);
    entry.users += 1;
    return entry;
  }

  /** Begins another use of counts. The caller must call `release`. */
  retain(used: UsedClicks): void {
    (used as Entry).users += 1;
  }

  /** Selects the chunks to count for the cache: none if it is not worthwhile. */
  select(
    key: string,
    { since, until }: Window,
    stored: readonly OrganizationChunk[],
  ): readonly OrganizationChunk[] {
    if (this.#excluded.has(key)) return [];
    const visits = countVisits(stored);
    const lead = Math.min(since + (until - since) * leadShare, endOfLead(stored, visits));
    const from = Math.max(since, lead);
    // The compactor adds visits to the last chunk.
    const chunks = stored
      .slice(0, -1)
      .filter(({ first_at, last_at }) => first_at >= from && last_at < until);
    const counted = countVisits(chunks);
    return counted < this.#minVisits || this.#isTooMuch(visits - counted, visits) ? [] : chunks;
  }

  /** Selects no more chunks for a key. */
  exclude(key: string): void {
    if (this.#excluded.size >= maxExcluded) this.#excluded.clear();
    this.#excluded.add(key);
  }

  /** Stores counts. The caller must call `release` with the result. */
  add(key: string, counted: CachedClicks): UsedClicks {
    const { chunks, clicks } = counted;
    const entry: Entry = {
      ...counted,
      ...timeRangeOf(chunks),
      key,
      visits: countVisits(chunks),
      bytes: bytesOfClicks(clicks),
      users: 1,
    };
    this.#entries.add(entry);
    // It is evicted at its release, so counting for the cache again would be in vain.
    if (entry.bytes > this.#maxBytes) this.exclude(key);
    const ofKey = [...this.#entries].filter((each) => each.key === key);
    const unused = ofKey.filter(({ users }) => users === 0);
    for (const each of unused.slice(0, Math.max(0, ofKey.length - maxEntriesOfKey))) {
      this.#remove(each);
    }
    return entry;
  }

  /** Ends a use. Evicts entries while all together are too large. */
  release(used: UsedClicks): void {
    (used as Entry).users -= 1;
    while (this.bytes > this.#maxBytes) if (!this.#evict()) return;
  }

  /**
   * Removes the entry that was not used for the longest time, of the organization whose entries are
   * largest, so that one cannot take the memory of the others. Returns false if all are in use.
   */
  #evict(): boolean {
    const bytesOf = new Map<string, number>();
    for (const { organizationId, bytes } of this.#entries) {
      bytesOf.set(organizationId, (bytesOf.get(organizationId) ?? 0) + bytes);
    }
    let entry: Entry | undefined;
    let most = 0;
    for (const each of this.#entries) {
      const bytes = bytesOf.get(each.organizationId) ?? 0;
      if (each.users > 0 || bytes <= most) continue;
      entry = each;
      most = bytes;
    }
    if (entry) this.#remove(entry);
    return entry !== undefined;
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry);
    releaseClicks(entry.clicks);
  }

  #isTooMuch(rest: number, visits: number): boolean {
    return rest > Math.max(this.#minRest, visits * maxRestShare);
  }
}

/** Returns the time at which the first chunks end that have the share of the visits which is not cached. */
function endOfLead(chunks: readonly OrganizationChunk[], visits: number): number {
  let lead = 0;
  for (const { visit_count, first_at } of [...chunks].sort((a, b) => a.first_at - b.first_at)) {
    lead += visit_count;
    if (lead > visits * leadShare) return first_at;
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the key of an overview: those with the same key use the same counts. */
export function keyOfOverview(
  organizationId: string,
  { timezone, groupBy, conditions = [] }: VisitQuery,
): string {
  return JSON.stringify([organizationId, timezone ?? utc, groupBy, conditions]);
}

/** Returns a hash of the QR codes that decide which visits before an instant are scans. */
export function hashCodes(scannedUrls: ReadonlyMap<number, ScannedUrl>, before: number): string {
  const codes: string[] = [];
  for (const { urlId, hasSlug, spans } of scannedUrls.values()) {
    for (const { from, until } of spans) {
      const end = until === null || until >= before ? '' : until;
      if (from < before) codes.push(`${urlId} ${hasSlug} ${from} ${end}`);
    }
  }
  return createHash('sha256').update(codes.sort().join()).digest('base64');
}
