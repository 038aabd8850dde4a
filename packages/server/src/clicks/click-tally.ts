import type { z } from 'zod';
import { type Buckets, bucketsOf, type ClickWindow } from './click-window.js';
import type { clickBreakdowns, clickBucket, clickTotals } from './clicks-contract.js';
import { DistinctKeys } from './distinct-keys.js';
import { kindOf, splitReferrer, type VisitColumns, type WordColumn } from './visit-columns.js';

export interface ClickReport {
  readonly totals: z.input<typeof clickTotals>;
  readonly breakdowns: z.input<typeof clickBreakdowns>;
  readonly timeseries: z.input<typeof clickBucket>[];
}

const dimensions = [
  'country',
  'deviceType',
  'browser',
  'os',
  'referrer',
] as const satisfies readonly WordColumn[];
export type Dimension = (typeof dimensions)[number];

/**
 * Counts the clicks of a window in one pass over visits: totals, breakdowns and series out of the
 * same loop, so that they always add up. Only people's visits are clicks.
 */
export class ClickTally {
  readonly #window: ClickWindow;
  readonly #buckets: Buckets;
  readonly #counts: Record<Dimension, Map<string, number>>;
  readonly #visitors = new DistinctKeys();
  readonly #addresses = new DistinctKeys();
  readonly #bucketClicks: Float64Array;
  readonly #bucketVisitors: (DistinctKeys | undefined)[];
  readonly #clicksOfUrl = new Map<number, number>();
  #total = 0;

  constructor(window: ClickWindow) {
    this.#window = window;
    this.#buckets = bucketsOf(window);
    this.#bucketClicks = new Float64Array(this.#buckets.count);
    this.#bucketVisitors = new Array(this.#buckets.count);
    this.#counts = Object.fromEntries(
      dimensions.map((dimension) => [dimension, new Map<string, number>()]),
    ) as Record<Dimension, Map<string, number>>;
  }

  /** Clicks so far, by link. */
  get clicksOfUrl(): ReadonlyMap<number, number> {
    return this.#clicksOfUrl;
  }

  /** Counts visits of one link. */
  add(urlId: number, columns: VisitColumns): void {
    const before = this.#total;
    this.#count(columns, undefined);
    this.#note(urlId, this.#total - before);
  }

  /** Counts those visits of many links that are accepted. */
  addSome(columns: VisitColumns, accepts: (urlId: number) => boolean): void {
    const { urlIds } = columns;
    if (!urlIds) throw new TypeError('these visits are of one link');
    const accepted: number[] = [];
    for (let at = 0; at < columns.count; at += 1) {
      if (accepts(urlIds[at] as number)) accepted.push(at);
    }
    if (accepted.length === 0) return;
    this.#count(columns, accepted, (at) => this.#note(urlIds[at] as number, 1));
  }

  #note(urlId: number, clicks: number): void {
    if (clicks > 0) this.#clicksOfUrl.set(urlId, (this.#clicksOfUrl.get(urlId) ?? 0) + clicks);
  }

  #count(
    { count, visitedAt, visitors, addresses, words }: VisitColumns,
    only: readonly number[] | undefined,
    onClick?: (at: number) => void,
  ): void {
    const { since, until } = this.#window;
    const { firstAt, eachMs } = this.#buckets;
    const isClick = Uint8Array.from(words.source.texts, (text) =>
      kindOf(text) === 'human' ? 1 : 0,
    );
    const sources = words.source.codes;
    const codes = dimensions.map((dimension) => words[dimension].codes);
    const tallies = dimensions.map((dimension) => new Uint32Array(words[dimension].texts.length));
    const length = only?.length ?? count;
    for (let index = 0; index < length; index += 1) {
      const at = only === undefined ? index : (only[index] as number);
      const time = visitedAt[at] as number;
      if (time < since || time >= until || isClick[sources[at] as number] === 0) continue;
      this.#total += 1;
      for (let dimension = 0; dimension < codes.length; dimension += 1) {
        const tally = tallies[dimension] as Uint32Array;
        const code = (codes[dimension] as Uint8Array)[at] as number;
        tally[code] = (tally[code] as number) + 1;
      }
      const bucket = Math.floor((time - firstAt) / eachMs);
      this.#bucketClicks[bucket] = (this.#bucketClicks[bucket] as number) + 1;
      const high = visitors[at * 2] as number;
      const low = visitors[at * 2 + 1] as number;
      let inBucket = this.#bucketVisitors[bucket];
      if (inBucket === undefined) {
        inBucket = new DistinctKeys();
        this.#bucketVisitors[bucket] = inBucket;
      }
      // Who is not new in a bucket is not new in the window.
      if (inBucket.add(high, low)) this.#visitors.add(high, low);
      this.#addresses.add(addresses[at * 2] as number, addresses[at * 2 + 1] as number);
      onClick?.(at);
    }
    for (const [index, dimension] of dimensions.entries()) {
      const counts = this.#counts[dimension];
      const tally = tallies[index] as Uint32Array;
      for (const [code, text] of words[dimension].texts.entries()) {
        const clicks = tally[code] as number;
        if (clicks > 0) counts.set(text, (counts.get(text) ?? 0) + clicks);
      }
    }
  }

  /** The report, with the `limit` largest entries of each breakdown. */
  report(limit: number): ClickReport {
    const { firstAt, eachMs } = this.#buckets;
    const top = (dimension: Dimension) => largest(this.#counts[dimension], limit);
    return {
      totals: {
        totalClicks: this.#total,
        uniqueClicks: this.#visitors.count,
        uniqueIps: this.#addresses.count,
      },
      breakdowns: {
        country: top('country').map(([country, clicks]) => ({ country, clicks })),
        device: top('deviceType').map(([deviceType, clicks]) => ({
          deviceType: deviceType as DeviceType,
          clicks,
        })),
        browser: top('browser').map(([browser, clicks]) => ({ browser, clicks })),
        os: top('os').map(([os, clicks]) => ({ os, clicks })),
        referrer: top('referrer').map(([referrer, clicks]) => {
          const { referrerDomain, referrerType } = splitReferrer(referrer);
          return { referrerDomain, referrerType: referrerType as ReferrerType, clicks };
        }),
      },
      timeseries: Array.from(this.#bucketClicks, (clicks, bucket) => ({
        bucket: new Date(firstAt + bucket * eachMs).toISOString(),
        clicks,
        uniques: this.#bucketVisitors[bucket]?.count ?? 0,
      })),
    };
  }
}

type Breakdowns = z.input<typeof clickBreakdowns>;
type DeviceType = Breakdowns['device'][number]['deviceType'];
type ReferrerType = Breakdowns['referrer'][number]['referrerType'];

/** The entries with the largest numbers; those alike in the order of their names. */
export function largest<K extends string | number>(
  counts: ReadonlyMap<K, number>,
  limit: number,
): [K, number][] {
  return [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, limit);
}
