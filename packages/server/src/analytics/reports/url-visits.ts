import { LargestCounts } from './value-counts.js';

// The links of an organization may be far apart, so groups are small.
const urlsPerGroup = 16;

/** Counts the visits of URLs in groups of consecutive ids, which takes a tenth of the time of a map. */
export class UrlVisits {
  /** The index at which the counts of a group begin. */
  readonly #groups = new Map<number, number>();
  #counts = new Uint32Array(urlsPerGroup * 64);

  /** Counts a visit of each URL. Merged visits are sorted by URL. */
  add(urlIds: Float64Array): void {
    let group = -1;
    let start = 0;
    for (let at = 0; at < urlIds.length; at += 1) {
      const urlId = urlIds[at] as number;
      const wanted = Math.floor(urlId / urlsPerGroup);
      if (wanted !== group) {
        group = wanted;
        start = this.#startOf(group);
      }
      const entry = start + (urlId - group * urlsPerGroup);
      this.#counts[entry] = (this.#counts[entry] as number) + 1;
    }
  }

  /** Returns the URLs with the most visits; equal counts in ascending order of their ids. */
  largest(limit: number): [urlId: number, visits: number][] {
    const largest = new LargestCounts<number>(limit);
    for (const [group, start] of this.#groups) {
      for (let at = 0; at < urlsPerGroup; at += 1) {
        const visits = this.#counts[start + at] as number;
        if (visits > 0) largest.add(group * urlsPerGroup + at, visits);
      }
    }
    return largest.finish();
  }

  #startOf(group: number): number {
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    const start = this.#groups.size * urlsPerGroup;
    this.#groups.set(group, start);
    if (start === this.#counts.length) {
      const larger = new Uint32Array(start * 2);
      larger.set(this.#counts);
      this.#counts = larger;
    }
    return start;
  }
}
