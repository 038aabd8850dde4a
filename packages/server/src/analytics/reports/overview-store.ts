import type { Kysely } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { hourMs } from './durations.js';
import type { Int32Pool } from './int32-pool.js';
import {
  countVisits,
  type OrganizationChunk,
  timeRangeOf,
  withoutChunks,
} from './organization-chunks.js';
import { type CachedClicks, keyOfOverview } from './overview-cache.js';
import { maxCountsBytes, type OverviewCountsRepository } from './overview-counts-repository.js';
import type { VisitQuery } from './report-window.js';
import { bytesOfStored, decodeCounts, encodeCounts } from './stored-counts.js';

export interface OverviewStoreOptions {
  readonly repository: OverviewCountsRepository;
  readonly minVisits?: number;
  readonly onError: (error: unknown) => void;
}

/** Counts of fewer visits are not stored, because counting them takes less than half a second. */
export const minStoredVisits = 1_000_000;

// Counts are stored again when so many of their visits are other ones.
const maxStaleShare = 1 / 64;
const maxKnown = 1_000;

/**
 * Returns the key of stored counts. Windows whose lengths differ much have different ones, so that a report
 * of a week does not replace the counts of a month.
 */
export function storedKeyOf(organizationId: string, query: VisitQuery): string {
  const hours = (query.until - query.since) / hourMs;
  return `${keyOfOverview(organizationId, query)} ${Math.floor(Math.log2(hours))}`;
}

/** Stores the counts of the overview cache, so that the first overview after a start continues them. */
export class OverviewStore {
  readonly #repository: OverviewCountsRepository;
  readonly #minVisits: number;
  readonly #onError: (error: unknown) => void;
  readonly #stopping = new AbortController();
  /** The chunks whose counts are stored, by key, as far as this process knows. */
  readonly #stored = new Map<string, readonly OrganizationChunk[]>();
  /** The last write. Writes run one after another, because each needs its bytes in memory. */
  #writing: Promise<void> = Promise.resolve();

  constructor({ repository, minVisits, onError }: OverviewStoreOptions) {
    this.#repository = repository;
    this.#minVisits = minVisits ?? minStoredVisits;
    this.#onError = onError;
  }

  /** Reads the counts with a key; undefined if there are none. */
  async load(
    db: Kysely<Schema>,
    organizationId: string,
    key: string,
    pool: Int32Pool,
  ): Promise<CachedClicks | undefined> {
    const bytes = await this.#repository.read(db, organizationId, key);
    const counts = bytes && decodeCounts(bytes, pool);
    if (counts) this.#setStored(key, counts.chunks);
    return counts;
  }

  /** Returns whether counts of chunks are stored, if overviews count them. */
  stores(chunks: readonly OrganizationChunk[]): boolean {
    return countVisits(chunks) >= this.#minVisits;
  }

  /**
   * Stores counts in the background, unless the stored ones have nearly the same visits. The caller must
   * not release the counts before the returned promise is fulfilled.
   */
  save(key: string, counts: CachedClicks): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#saveNow(key, counts))
      .catch((error) => {
        if (!this.#stopping.signal.aborted) this.#onError(error);
      });
    return this.#writing;
  }

  /** Waits for the writes that have begun. */
  settle(): Promise<void> {
    return this.#writing;
  }

  /** Ends the write in progress, which is repeated after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#writing;
  }

  async #saveNow(key: string, counts: CachedClicks): Promise<void> {
    const { organizationId, chunks, clicks } = counts;
    if (this.#stopping.signal.aborted || !this.stores(chunks)) return;
    const stored = this.#stored.get(key) ?? [];
    const stale =
      countVisits(withoutChunks(stored, chunks)) + countVisits(withoutChunks(chunks, stored));
    if (stale < countVisits(chunks) * maxStaleShare || bytesOfStored(clicks) > maxCountsBytes)
      return;
    const firstAt = timeRangeOf(chunks).since;
    const content = encodeCounts(counts);
    if (content.length > maxCountsBytes) return;
    const toStore = { organizationId, key, firstAt, content };
    if (await this.#repository.write(toStore, this.#stopping.signal)) this.#setStored(key, chunks);
  }

  #setStored(key: string, chunks: readonly OrganizationChunk[]): void {
    if (this.#stored.size >= maxKnown) this.#stored.clear();
    this.#stored.set(key, chunks);
  }
}
