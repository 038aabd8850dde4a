import type { z } from 'zod';
import {
  joinReferrer,
  kindOf,
  splitReferrer,
  type VisitColumns,
  type WordColumn,
  type Words,
} from '../ingest/visit-columns.js';
import { type Buckets, bucketsOf, type ClickWindow, hourMs } from './click-window.js';
import type { clickBreakdowns, clickBucket, clickTotals } from './clicks-contract.js';
import { DistinctKeys } from './distinct-keys.js';
import { NumberPool } from './number-pool.js';

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
  readonly #visitors: DistinctKeys;
  readonly #addresses: DistinctKeys;
  readonly #bucketClicks: Float64Array;
  readonly #clicksOfUrl = new Map<number, number>();
  #total = 0;
  #prunedVisitors = 0;
  #prunedAddresses = 0;
  readonly #prunedInBucket = new Map<number, number>();

  /** What reports use again may be shared by those that follow each other. */
  constructor(window: ClickWindow, pool = new NumberPool()) {
    this.#window = window;
    this.#buckets = bucketsOf(window);
    this.#visitors = new DistinctKeys(pool);
    this.#addresses = new DistinctKeys(pool);
    this.#bucketClicks = new Float64Array(this.#buckets.count);
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
    this.#note(urlId, this.#count(columns, this.#clicksIn(columns)));
  }

  /** Counts those visits of many links that are accepted. */
  addSome(columns: VisitColumns, accepts: (urlId: number) => boolean): void {
    const { urlIds } = columns;
    if (!urlIds) throw new TypeError('these visits are of one link');
    const accepted = new Uint32Array(columns.count);
    let count = 0;
    for (let at = 0; at < columns.count; at += 1) {
      if (!accepts(urlIds[at] as number)) continue;
      accepted[count] = at;
      count += 1;
    }
    const clicks = this.#clicksIn(columns, accepted.subarray(0, count));
    if (clicks.length === 0) return;
    this.#count(columns, clicks);
    for (const at of clicks) this.#note(urlIds[at] as number, 1);
  }

  #note(urlId: number, clicks: number): void {
    if (clicks > 0) this.#clicksOfUrl.set(urlId, (this.#clicksOfUrl.get(urlId) ?? 0) + clicks);
  }

  /** Where the clicks are among the visits, or among some of them. */
  #clicksIn({ count, visitedAt, words }: VisitColumns, only?: Uint32Array): Uint32Array {
    const { since, until } = this.#window;
    const { texts, codes } = words.source;
    const isClick = Uint8Array.from(texts, (text) => (kindOf(text) === 'human' ? 1 : 0));
    const length = only?.length ?? count;
    const found = new Uint32Array(length);
    let clicks = 0;
    for (let index = 0; index < length; index += 1) {
      const at = only === undefined ? index : (only[index] as number);
      const time = visitedAt[at] as number;
      if (time < since || time >= until || isClick[codes[at] as number] === 0) continue;
      found[clicks] = at;
      clicks += 1;
    }
    return found.subarray(0, clicks);
  }

  /** Column by column: a loop that reads one run of numbers is what processors are fastest at. */
  #count({ visitedAt, visitors, addresses, words }: VisitColumns, clicks: Uint32Array): number {
    for (const dimension of dimensions) {
      const { texts, codes } = words[dimension];
      const counts = this.#counts[dimension];
      const added = countCodes(codes, clicks, texts.length);
      for (let code = 0; code < added.length; code += 1) {
        const text = texts[code] as string;
        if (added[code] !== 0) counts.set(text, (counts.get(text) ?? 0) + (added[code] as number));
      }
    }
    const { firstAt, eachMs } = this.#buckets;
    const buckets = new Int32Array(clicks.length);
    const bucketClicks = this.#bucketClicks;
    let bucket = 0;
    let startsAt = firstAt;
    for (let index = 0; index < clicks.length; index += 1) {
      const time = visitedAt[clicks[index] as number] as number;
      // Visits come in about the order of time: most are of the bucket before.
      if (time < startsAt || time >= startsAt + eachMs) {
        bucket = Math.floor((time - firstAt) / eachMs);
        startsAt = firstAt + bucket * eachMs;
      }
      buckets[index] = bucket;
      bucketClicks[bucket] = (bucketClicks[bucket] as number) + 1;
    }
    this.#visitors.add(visitors, clicks, buckets);
    this.#addresses.add(addresses, clicks);
    this.#total += clicks.length;
    return clicks.length;
  }

  /**
   * Counts a day whose visits were pruned, out of the report by hours that was made of it then. Its
   * visitors cannot be told from those of other days any more, and are added to theirs.
   */
  addDay(urlId: number, report: ClickReport): void {
    const { totals, breakdowns, timeseries } = report;
    this.#total += totals.totalClicks;
    this.#prunedVisitors += totals.uniqueClicks;
    this.#prunedAddresses += totals.uniqueIps;
    this.#note(urlId, totals.totalClicks);
    const add = (dimension: Dimension, text: string, clicks: number) => {
      const counts = this.#counts[dimension];
      counts.set(text, (counts.get(text) ?? 0) + clicks);
    };
    for (const { country, clicks } of breakdowns.country) add('country', country, clicks);
    for (const { deviceType, clicks } of breakdowns.device) add('deviceType', deviceType, clicks);
    for (const { browser, clicks } of breakdowns.browser) add('browser', browser, clicks);
    for (const { os, clicks } of breakdowns.os) add('os', os, clicks);
    for (const { referrerDomain, referrerType, clicks } of breakdowns.referrer) {
      add('referrer', joinReferrer(referrerType, referrerDomain), clicks);
    }
    const { firstAt, eachMs } = this.#buckets;
    const days = new Set<number>();
    for (const { bucket: instant, clicks, uniques } of timeseries) {
      const bucket = Math.floor((Date.parse(instant) - firstAt) / eachMs);
      this.#bucketClicks[bucket] = (this.#bucketClicks[bucket] as number) + clicks;
      if (eachMs === hourMs) this.#addPruned(bucket, uniques);
      days.add(bucket);
    }
    if (eachMs !== hourMs) for (const bucket of days) this.#addPruned(bucket, totals.uniqueClicks);
  }

  #addPruned(bucket: number, visitors: number): void {
    this.#prunedInBucket.set(bucket, (this.#prunedInBucket.get(bucket) ?? 0) + visitors);
  }

  /** The report, with the `limit` largest entries of each breakdown; nothing can be added any more. */
  finish(limit: number): ClickReport {
    const { firstAt, eachMs } = this.#buckets;
    const visitors = this.#visitors.finish(this.#buckets.count);
    const addresses = this.#addresses.finish();
    const top = (dimension: Dimension) => largest(this.#counts[dimension], limit);
    return {
      totals: {
        totalClicks: this.#total,
        uniqueClicks: visitors.total + this.#prunedVisitors,
        uniqueIps: addresses.total + this.#prunedAddresses,
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
        uniques: (visitors.inBuckets[bucket] as number) + (this.#prunedInBucket.get(bucket) ?? 0),
      })),
    };
  }
}

function countCodes(codes: Words['codes'], at: Uint32Array, texts: number): Uint32Array {
  const counts = new Uint32Array(texts);
  for (let index = 0; index < at.length; index += 1) {
    const code = codes[at[index] as number] as number;
    counts[code] = (counts[code] as number) + 1;
  }
  return counts;
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
