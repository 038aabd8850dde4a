import { LargestCounts, ValueCounts } from './value-counts.js';

// An array of 2 KB for each page.
const urlsPerPage = 256;
// 100 MB, and as much for the URLs of other pages.
const defaultMaxPages = 50_000;
const maxOtherUrls = 1_000_000;

/**
 * Counts the visits of URLs, exactly, in pages of consecutive ids. Like `ValueCounts`, which counts the
 * URLs of further pages when there are too many, but in a tenth of the time.
 */
export class UrlVisits {
  readonly #maxPages: number;
  readonly #pages = new Map<number, Float64Array>();
  readonly #others: ValueCounts<number>;
  #lastPage = -1;
  #lastCounts: Float64Array = new Float64Array(0);
  #isSecondPass = false;

  constructor(maxPages = defaultMaxPages, maxOthers = maxOtherUrls) {
    this.#maxPages = maxPages;
    this.#others = new ValueCounts<number>(maxOthers);
  }

  add(urlId: number, visits: number): void {
    const page = Math.floor(urlId / urlsPerPage);
    const counts = page === this.#lastPage ? this.#lastCounts : this.#pageOf(page);
    if (!counts) this.#others.add(urlId, visits);
    else if (!this.#isSecondPass) {
      const at = urlId - page * urlsPerPage;
      counts[at] = (counts[at] as number) + visits;
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
    for (const [urlId, visits] of this.#others.largest(limit)) largest.add(urlId, visits);
    for (const [page, counts] of this.#pages) {
      for (let at = 0; at < urlsPerPage; at += 1) {
        const visits = counts[at] as number;
        if (visits > 0) largest.add(page * urlsPerPage + at, visits);
      }
    }
    return largest.finish();
  }

  /** Returns undefined if the URLs of the page are among the others. */
  #pageOf(page: number): Float64Array | undefined {
    let counts = this.#pages.get(page);
    if (!counts) {
      if (this.#isSecondPass || this.#pages.size >= this.#maxPages) return undefined;
      counts = new Float64Array(urlsPerPage);
      this.#pages.set(page, counts);
    }
    this.#lastPage = page;
    this.#lastCounts = counts;
    return counts;
  }
}
