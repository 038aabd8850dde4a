import { LargestCounts, ValueCounts } from './value-counts.js';

// An array of 16 KB for each page.
const urlsPerPage = 4096;
// 32 MB, enough for 8 million consecutive URLs. Those of one organization may be far apart.
const defaultMaxPages = 2_000;
// As many as a map counts in 100 MB.
const maxOtherUrls = 1_000_000;
// A power of two. Visits of a million consecutive URLs find their pages without the map.
const recentPages = 256;

/**
 * Counts the visits of URLs, exactly, in pages of consecutive ids. Like `ValueCounts`, which counts the
 * URLs of further pages when there are too many, but in a tenth of the time.
 */
export class UrlVisits {
  readonly #maxPages: number;
  readonly #pages = new Map<number, Uint32Array>();
  readonly #others: ValueCounts<number>;
  /** The page that was used last among those with the same last bits, and its counts. */
  readonly #recent = new Float64Array(recentPages).fill(-1);
  readonly #countsOfRecent: Uint32Array[] = Array(recentPages).fill(new Uint32Array(0));
  #isSecondPass = false;

  constructor(maxPages = defaultMaxPages, maxOthers = maxOtherUrls) {
    this.#maxPages = maxPages;
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

  /** Returns the URLs with the most visits; equal counts in ascending order of their ids. */
  largest(limit: number): [urlId: number, visits: number][] {
    const largest = new LargestCounts<number>(limit);
    this.#forEach((urlId, visits) => {
      largest.add(urlId, visits);
    });
    return largest.finish();
  }

  /** Calls `onUrl` once for each URL: a URL with a page is never among the others. */
  #forEach(onUrl: (urlId: number, visits: number) => void): void {
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
