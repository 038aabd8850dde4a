import type { Kysely } from 'kysely';
import type { Schema } from '../../storage/schema.js';
import type { ScannedUrl } from '../ingest/scanned-url.js';
import { addVisits, readChunks, type ScanCounts } from './count-visits.js';
import { type BucketVisitors, type CountedClicks, changeClicks } from './counted-clicks.js';
import type { Int32Pool } from './int32-pool.js';
import {
  chunksWithin,
  includesChunks,
  listOrganizationChunks,
  type OrganizationChunk,
  readOrganizationChunks,
  timeRangeOf,
  withoutChunks,
} from './organization-chunks.js';
import { hashCodes, keyOfOverview, type OverviewCache, type UsedClicks } from './overview-cache.js';
import { type OverviewStore, storedKeyOf } from './overview-store.js';
import type { ClickReport } from './report-contract.js';
import type { ReportClock } from './report-limits.js';
import type { VisitQuery, Window } from './report-window.js';
import { clickMeasure } from './visit-measures.js';
import { VisitTally } from './visit-tally.js';

/** An overview that counts the chunks of an organization. */
export interface OverviewRun {
  /** The snapshot that the report reads. */
  readonly db: Kysely<Schema>;
  readonly clock: ReportClock;
  readonly organizationId: string;
  readonly query: VisitQuery;
  /** The part of the window in which `stored` are all chunks. */
  readonly part: Window;
  /** The start of the time series. Earlier visits count in its first bucket. */
  readonly seriesStart: number;
  readonly stored: readonly OrganizationChunk[];
  /** The URLs that have, or had, QR codes. */
  readonly scannedUrls: ReadonlyMap<number, ScannedUrl>;
}

/** Clicks of chunks, and the scans among them. */
interface Counted {
  readonly clicks: CountedClicks;
  readonly scans: ScanCounts;
}

/** Counts the chunks of organizations for overviews, and caches the counts. */
export class OverviewCounter {
  readonly #pool: Int32Pool;
  readonly #cache: OverviewCache;
  /** The reports that count for the cache, by its keys. */
  readonly #counting = new Map<string, Promise<void>>();

  readonly #store: OverviewStore | undefined;

  /** Without a store, the first overview after a start counts all visits. */
  constructor(pool: Int32Pool, cache: OverviewCache, store?: OverviewStore) {
    this.#pool = pool;
    this.#cache = cache;
    this.#store = store;
  }

  /**
   * Returns counts of chunks of an organization, from the cache if they are there. Returns undefined if
   * it has too few visits, or they cannot be counted exactly in one pass. The caller must call `release`.
   */
  async count(run: OverviewRun): Promise<UsedClicks | undefined> {
    const key = keyOfOverview(run.organizationId, run.query);
    // Earlier visits count in the first bucket, which may be a later one in another window.
    const window = { ...run.part, since: Math.max(run.part.since, run.seriesStart) };
    // Reports of the same organization count its visits one after another, so that the second one can use
    // what the first one counted, and they do not need the memory at once.
    for (let other = this.#counting.get(key); other; other = this.#counting.get(key)) {
      await run.clock.waitFor(other);
    }
    const used = this.#cache.find(key, window, run.stored, run.scannedUrls);
    if (used) return used;
    const chunks = this.#cache.select(key, window, run.stored);
    if (chunks.length === 0) return undefined;
    const counting = this.#countForCache(run, key, window, chunks);
    const settled = counting.then(
      () => {},
      () => {},
    );
    this.#counting.set(key, settled);
    try {
      return await counting;
    } finally {
      this.#counting.delete(key);
    }
  }

  release(used: UsedClicks): void {
    this.#cache.release(used);
  }

  /** Counts chunks for the cache. Returns undefined if it cannot, and the report must count them itself. */
  async #countForCache(
    run: OverviewRun,
    key: string,
    window: Window,
    chunks: readonly OrganizationChunk[],
  ): Promise<UsedClicks | undefined> {
    const { organizationId, query, scannedUrls } = run;
    // Filters have many values, each of which is rarely used.
    const isUnfiltered = (query.conditions ?? []).length === 0;
    const store = isUnfiltered && this.#store?.stores(chunks) ? this.#store : undefined;
    const storedKey = storedKeyOf(organizationId, query);
    if (store && !this.#hasSimilar(run, key, chunks)) {
      const loaded = await store.load(run.db, organizationId, storedKey, this.#pool);
      if (loaded) this.#cache.release(this.#cache.add(key, loaded));
      const used = this.#cache.find(key, window, run.stored, scannedUrls);
      if (used) return used;
    }
    const counted =
      (await this.#advance(run, key, chunks)) ?? (await this.#countVisits(run, run.query, chunks));
    if (counted) {
      const codes = hashCodes(scannedUrls, timeRangeOf(chunks).until);
      const used = this.#cache.add(key, { organizationId, ...counted, chunks, codes });
      if (store) {
        this.#cache.retain(used);
        store.save(storedKey, used).finally(() => this.#cache.release(used));
      }
      return used;
    }
    this.#cache.exclude(key);
    return undefined;
  }

  #hasSimilar(run: OverviewRun, key: string, chunks: readonly OrganizationChunk[]): boolean {
    const found = this.#cache.findSimilar(key, chunks, run.scannedUrls);
    if (found) this.#cache.release(found);
    return found !== undefined;
  }

  /**
   * Derives the counts of chunks from those of an entry of the cache: counts the chunks that only one of
   * them has. Returns undefined if there is no such entry, or if it has too few of the chunks.
   */
  async #advance(
    run: OverviewRun,
    key: string,
    chunks: readonly OrganizationChunk[],
  ): Promise<Counted | undefined> {
    const entry = this.#cache.findSimilar(key, chunks, run.scannedUrls);
    if (!entry) return undefined;
    try {
      const removed = withoutChunks(entry.chunks, chunks);
      if (!(await this.#areStored(run, removed))) return undefined;
      return await this.#change(run, entry, removed, chunks);
    } finally {
      this.#cache.release(entry);
    }
  }

  /** Returns whether chunks are stored and unchanged. They may be outside of the window. */
  async #areStored(run: OverviewRun, chunks: readonly OrganizationChunk[]): Promise<boolean> {
    if (chunks.length === 0) return true;
    const stored = await listOrganizationChunks(run.db, run.organizationId, timeRangeOf(chunks));
    return includesChunks(stored, chunks);
  }

  async #change(
    run: OverviewRun,
    entry: UsedClicks,
    toRemove: readonly OrganizationChunk[],
    chunks: readonly OrganizationChunk[],
  ): Promise<Counted | undefined> {
    // The buckets of all chunks.
    const query = {
      ...run.query,
      ...timeRangeOf([...entry.chunks, ...chunks]),
      seriesFrom: undefined,
    };
    const tallies = {
      removed: new VisitTally<ClickReport>(clickMeasure, query, this.#pool),
      added: new VisitTally<ClickReport>(clickMeasure, query, this.#pool),
    };
    try {
      const lessScans = await this.#addChunks(run, query, toRemove, tallies.removed);
      const toAdd = withoutChunks(chunks, entry.chunks);
      const moreScans = await this.#addChunks(run, query, toAdd, tallies.added);
      const removed = tallies.removed.toChange('removed');
      const added = tallies.added.toChange('added');
      if (!removed || !added) return undefined;
      const read = (buckets: readonly number[]) => this.#readBuckets(run, query, chunks, buckets);
      const clicks = await changeClicks(entry.clicks, removed, added, read, this.#pool);
      if (!clicks) return undefined;
      const change = (name: keyof ScanCounts) =>
        entry.scans[name] - lessScans[name] + moreScans[name];
      return { clicks, scans: { total: change('total'), proven: change('proven') } };
    } finally {
      tallies.removed.release();
      tallies.added.release();
    }
  }

  /** Returns undefined if the counts are not exact. */
  async #countVisits(
    run: OverviewRun,
    query: VisitQuery,
    chunks: readonly OrganizationChunk[],
  ): Promise<Counted | undefined> {
    const tally = new VisitTally<ClickReport>(clickMeasure, query, this.#pool);
    try {
      const scans = await this.#addChunks(run, query, chunks, tally);
      const clicks = tally.toCounted();
      return clicks && { clicks, scans };
    } finally {
      tally.release();
    }
  }

  /** Adds the visits of chunks to a tally. Returns the scans among them. */
  async #addChunks(
    run: OverviewRun,
    query: VisitQuery,
    chunks: readonly OrganizationChunk[],
    tally: VisitTally<ClickReport>,
  ): Promise<ScanCounts> {
    const scans: ScanCounts = { total: 0, proven: 0 };
    const rows = readOrganizationChunks(run.db, run.organizationId, chunks);
    for await (const visits of readChunks(run, rows)) {
      addVisits(visits, query, run.scannedUrls, tally, scans);
    }
    return scans;
  }

  /** Reads the visitors of buckets from the chunks that have some of their visits. */
  async #readBuckets(
    run: OverviewRun,
    query: VisitQuery,
    chunks: readonly OrganizationChunk[],
    buckets: readonly number[],
  ): Promise<BucketVisitors> {
    const tally = new VisitTally<ClickReport>(clickMeasure, query, this.#pool);
    try {
      const within = chunksWithin(chunks, tally.selectBuckets(buckets));
      const rows = readOrganizationChunks(run.db, run.organizationId, within);
      for await (const visits of readChunks(run, rows)) tally.recount(visits);
      return tally.finishRecount(buckets);
    } finally {
      tally.release();
    }
  }
}
