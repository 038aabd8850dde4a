import { LargestCounts, ValueCounts } from './value-counts.js';

// An array of 16 KB for each page.
const urlsPerPage = 4096;
// 32 MB, enough for 8 million consecutive URLs. Those of one organization may be far apart.
const defaultMaxPages = 2_000;
// As many as a map counts in 100 MB.
const maxOtherUrls = 1_000_000;
const bytesOfOther = 100;
// A power of two. Visits of a million consecutive URLs find their pages without the map.
const recentPages = 256;

/**
 * Counts the visits of URLs, exactly, in pages of consecutive ids. Like `ValueCounts`, which counts the
 * URLs of further pages when there are too many, but in a tenth of the time.
 */
export class UrlVisits {
  readonly #maxPages: number;
  readonly #maxOthers: number;
  readonly #pages = new Map<number, Uint32Array>();
  readonly #others: ValueCounts<number>;
  /** The page that was used last among those with the same last bits, and its counts. */
  readonly #recent = new Float64Array(recentPages).fill(-1);
  readonly #countsOfRecent: Uint32Array[] = Array(recentPages).fill(new Uint32Array(0));
  #isSecondPass = false;

  constructor(maxPages = defaultMaxPages, maxOthers = maxOtherUrls) {
    this.#maxPages = maxPages;
    this.#maxOthers = maxOthers;
    this.#others = new ValueCounts<number>(maxOthers);
  }

  add(urlId: number, visits: number): void {
    const page = Math.floor(urlId / urlsPerPage);
    const place = page & (recentPages - 1);
    const counts =
      this.#recent[place] === page ? this.#countsOfRecent[place] : this.#pageOf(page, place);
    if (!counts) this.#others.add(urlId, visits);
    else if (!this.#isSecondPass) {
      const at = urlId - page * urlsPerPage;
      counts[at] = (counts[at] as number) + visits;
    }
  }

  /** Counts a visit of the URL at each index. */
  addEach(urlIds: Float64Array, indexes: Uint32Array): void {
    const recent = this.#recent;
    const countsOfRecent = this.#countsOfRecent;
    const isCounting = !this.#isSecondPass;
    for (let at = 0; at < indexes.length; at += 1) {
      const urlId = urlIds[indexes[at] as number] as number;
      const page = Math.floor(urlId / urlsPerPage);
      const place = page & (recentPages - 1);
      if (isCounting && recent[place] === page) {
        const counts = countsOfRecent[place] as Uint32Array;
        const entry = urlId - page * urlsPerPage;
        counts[entry] = (counts[entry] as number) + 1;
      } else this.add(urlId, 1);
    }
  }

  /** Returns false when the counts are exact. If true, the caller must add all visits again. */
  startSecondPass(): boolean {
    this.#isSecondPass = true;
    return this.#others.startSecondPass();
  }

  /** Whether all URLs are counted, so that no second pass is necessary. */
  get isComplete(): boolean {
    return this.#others.isComplete;
  }

  /** The approximate size in memory. */
  get bytes(): number {
    return (
      this.#pages.size * urlsPerPage * Uint32Array.BYTES_PER_ELEMENT +
      this.#others.size * bytesOfOther
    );
  }

  countOf(urlId: number): number {
    const page = Math.floor(urlId / urlsPerPage);
    const counted = this.#pages.get(page)?.[urlId - page * urlsPerPage] ?? 0;
    return counted + this.#others.countOf(urlId);
  }

  /**
   * Returns the URLs with the most visits; equal counts in ascending order of their ids. Adds the visits
   * of `others`.
   */
  largest(limit: number, others?: UrlVisits): [urlId: number, visits: number][] {
    const largest = new LargestCounts<number>(limit);
    this.forEach((urlId, visits) => {
      largest.add(urlId, visits + (others === undefined ? 0 : others.countOf(urlId)));
    });
    if (others !== undefined) {
      others.forEach((urlId, visits) => {
        if (this.countOf(urlId) === 0) largest.add(urlId, visits);
      });
    }
    return largest.finish();
  }

  /**
   * Returns these counts without those of `removed` and with those of `added`; undefined if they would not
   * be exact.
   */
  changedBy(removed: UrlVisits, added: UrlVisits): UrlVisits | undefined {
    if (![this, removed, added].every(({ isComplete }) => isComplete)) return undefined;
    const changed = new UrlVisits(this.#maxPages, this.#maxOthers);
    const all = [this, added, removed];
    const pages = new Set(all.flatMap((counts) => [...counts.#pages.keys()]));
    // Page by page, unless the URLs need more pages.
    if (pages.size <= this.#maxPages && all.every((counts) => counts.#others.size === 0)) {
      return [...pages].every((page) => changed.#setPage(page, this, removed, added))
        ? changed
        : undefined;
    }
    let isExact = true;
    const add = (urlId: number, visits: number) => {
      if (visits > 0) changed.add(urlId, visits);
    };
    this.forEach((urlId, visits) => {
      const left = visits - removed.countOf(urlId);
      if (left < 0) isExact = false;
      add(urlId, left + added.countOf(urlId));
    });
    added.forEach((urlId, visits) => {
      if (this.countOf(urlId) === 0) add(urlId, visits);
    });
    removed.forEach((urlId) => {
      if (this.countOf(urlId) === 0) isExact = false;
    });
    return isExact && changed.isComplete ? changed : undefined;
  }

  /** Sets the counts of a page to old ones without `removed` and with `added`. Returns false if some are negative. */
  #setPage(page: number, old: UrlVisits, removed: UrlVisits, added: UrlVisits): boolean {
    const [before, less, more] = [old, removed, added].map((counts) => counts.#pages.get(page));
    const counts = new Uint32Array(urlsPerPage);
    let isUsed = false;
    for (let at = 0; at < urlsPerPage; at += 1) {
      const left = (before?.[at] ?? 0) - (less?.[at] ?? 0);
      if (left < 0) return false;
      counts[at] = left + (more?.[at] ?? 0);
      if (counts[at] !== 0) isUsed = true;
    }
    if (isUsed) this.#pages.set(page, counts);
    return true;
  }

  /** Calls `onUrl` once for each URL: a URL with a page is never among the others. */
  forEach(onUrl: (urlId: number, visits: number) => void): void {
    for (const [urlId, visits] of this.#others.entries()) onUrl(urlId, visits);
    for (const [page, counts] of this.#pages) {
      for (let at = 0; at < urlsPerPage; at += 1) {
        const visits = counts[at] as number;
        if (visits > 0) onUrl(page * urlsPerPage + at, visits);
      }
    }
  }

  /** Returns undefined if the URLs of the page are among the others. */
  #pageOf(page: number, place: number): Uint32Array | undefined {
    let counts = this.#pages.get(page);
    if (!counts) {
      if (this.#isSecondPass || this.#pages.size >= this.#maxPages) return undefined;
      counts = new Uint32Array(urlsPerPage);
      this.#pages.set(page, counts);
    }
    this.#recent[place] = page;
    this.#countsOfRecent[place] = counts;
    return counts;
  }
}
