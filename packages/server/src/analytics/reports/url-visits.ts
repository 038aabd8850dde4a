import { LargestCounts, ValueCounts } from './value-counts.js';

// An array of 16 KB for each page.
const urlsPerPage = 4096;
// 32 MB, enough for 8 million consecutive URLs. Those of one organization may be far apart.
const defaultMaxPages = 2_000;
// As many as a map counts in 100 MB.
const maxOtherUrls = 1_000_000;

/**
 * Counts the visits of URLs, exactly, in pages of consecutive ids. Like `ValueCounts`, which counts the
 * URLs of further pages when there are too many, but in a tenth of the time.
 */
export class UrlVisits {
  readonly #maxPages: number;
  readonly #pages = new Map<number, Uint32Array>();
  readonly #others: ValueCounts<number>;
  #isSecondPass = false;

  constructor(maxPages = defaultMaxPages, maxOthers = maxOtherUrls) {
    this.#maxPages = maxPages;
    this.#others = new ValueCounts<number>(maxOthers);
  }

  /** Counts a visit of the URL at each index. Merged visits are sorted by URL. */
  add(urlIds: Float64Array, indexes: Uint32Array): void {
    let page = -1;
    let counts: Uint32Array | undefined;
    for (let at = 0; at < indexes.length; at += 1) {
      const urlId = urlIds[indexes[at] as number] as number;
      const wanted = Math.floor(urlId / urlsPerPage);
      if (wanted !== page) {
        page = wanted;
        counts = this.#pageOf(page);
      }
      if (!counts) this.#others.add(urlId, 1);
      else if (!this.#isSecondPass) {
        const entry = urlId - page * urlsPerPage;
        counts[entry] = (counts[entry] as number) + 1;
      }
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
    // A URL with a page is never among the others.
    for (const [urlId, visits] of this.#others.entries()) largest.add(urlId, visits);
    for (const [page, counts] of this.#pages) {
      for (let at = 0; at < urlsPerPage; at += 1) {
        const visits = counts[at] as number;
        if (visits > 0) largest.add(page * urlsPerPage + at, visits);
      }
    }
    return largest.finish();
  }

  /** Returns undefined if the URLs of the page are among the others. */
  #pageOf(page: number): Uint32Array | undefined {
    const known = this.#pages.get(page);
    if (known || this.#isSecondPass || this.#pages.size >= this.#maxPages) return known;
    const counts = new Uint32Array(urlsPerPage);
    this.#pages.set(page, counts);
    return counts;
  }
}
