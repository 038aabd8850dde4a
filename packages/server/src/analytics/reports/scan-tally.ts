import type { z } from 'zod';
import type { Scan, ScanMethod } from '../classify/decide-scan.js';
import { ScanFinder } from '../ingest/scan-finder.js';
import { isWithin, type QrSpan } from '../ingest/scanned-url.js';
import type { VisitColumns, WordColumn } from '../ingest/visit-columns.js';
import { largest } from './click-tally.js';
import { type Buckets, bucketsOf, type ClickWindow, hourMs } from './click-window.js';
import { DistinctKeys } from './distinct-keys.js';
import { NumberPool } from './number-pool.js';
import type { scanBreakdowns, scanBucket, scanTotals } from './scans-contract.js';

type Breakdowns = z.input<typeof scanBreakdowns>;

export interface ScanReport {
  readonly totals: z.input<typeof scanTotals>;
  readonly breakdowns: Breakdowns;
  readonly timeseries: z.input<typeof scanBucket>[];
}

/** What no app has scanned. */
const noApp = '(none)';

const wordDimensions = ['country', 'deviceType', 'browser'] as const satisfies WordColumn[];
const dimensions = [...wordDimensions, 'scanMethod', 'scannerApp'] as const;
type Dimension = (typeof dimensions)[number];

/** Counts the scans of one code in a window: totals, breakdowns and series out of the same loop. */
export class ScanTally {
  readonly #window: ClickWindow;
  readonly #span: QrSpan;
  readonly #hasSlug: boolean;
  readonly #buckets: Buckets;
  readonly #counts: Record<Dimension, Map<string, number>>;
  readonly #visitors: DistinctKeys;
  readonly #addresses: DistinctKeys;
  readonly #bucketScans: Float64Array;
  readonly #prunedInBucket: Float64Array;
  #total = 0;
  #prunedVisitors = 0;
  #prunedAddresses = 0;

  constructor(window: ClickWindow, span: QrSpan, hasSlug: boolean, pool = new NumberPool()) {
    this.#window = window;
    this.#span = span;
    this.#hasSlug = hasSlug;
    this.#buckets = bucketsOf(window);
    this.#counts = Object.fromEntries(
      dimensions.map((dimension) => [dimension, new Map<string, number>()]),
    ) as Record<Dimension, Map<string, number>>;
    this.#visitors = new DistinctKeys(pool);
    this.#addresses = new DistinctKeys(pool);
    this.#bucketScans = new Float64Array(this.#buckets.count);
    this.#prunedInBucket = new Float64Array(this.#buckets.count);
  }

  /** Counts visits of the code's link. */
  add(columns: VisitColumns): void {
    this.#count(columns, () => true);
  }

  /** Counts those visits of many links that are accepted. */
  addSome(columns: VisitColumns, accepts: (urlId: number) => boolean): void {
    const { urlIds } = columns;
    if (!urlIds) throw new TypeError('these visits are of one link');
    this.#count(columns, (at) => accepts(urlIds[at] as number));
  }

  #count(columns: VisitColumns, isOurs: (at: number) => boolean): void {
    const { count, visitedAt, visitors, addresses, words } = columns;
    const { since, until } = this.#window;
    const finder = new ScanFinder(columns, this.#hasSlug);
    // Many scans are of few kinds, and of few texts: each is noted once.
    const kinds = new Map<Scan, number>();
    const counts = wordDimensions.map((dimension) => ({
      dimension,
      texts: words[dimension].texts,
      codes: words[dimension].codes,
      scans: new Uint32Array(words[dimension].texts.length),
    }));
    const found = new Uint32Array(count);
    const buckets = new Int32Array(count);
    let scanCount = 0;
    for (let at = 0; at < count; at += 1) {
      if (!isOurs(at)) continue;
      const time = visitedAt[at] as number;
      if (time < since || time >= until || !isWithin(this.#span, time)) continue;
      const scan = finder.find(at);
      if (!scan) continue;
      kinds.set(scan, (kinds.get(scan) ?? 0) + 1);
      for (const { codes, scans } of counts) {
        const code = codes[at] as number;
        scans[code] = (scans[code] as number) + 1;
      }
      const bucket = this.#bucketOf(time);
      this.#bucketScans[bucket] = (this.#bucketScans[bucket] as number) + 1;
      found[scanCount] = at;
      buckets[scanCount] = bucket;
      scanCount += 1;
    }
    this.#total += scanCount;
    const places = found.subarray(0, scanCount);
    this.#visitors.add(visitors, places, buckets);
    this.#addresses.add(addresses, places);
    for (const { dimension, texts, scans } of counts) {
      for (const [code, added] of scans.entries()) {
        if (added > 0) this.#note(dimension, texts[code] as string, added);
      }
    }
    for (const [{ scanMethod, scannerApp }, added] of kinds) {
      this.#note('scanMethod', scanMethod, added);
      this.#note('scannerApp', scannerApp ?? noApp, added);
    }
  }

  /**
   * Counts a day whose visits were pruned, out of the report by hours that was made of it then. Its
   * visitors cannot be told from those of other days any more, and are added to theirs.
   */
  addDay({ totals, breakdowns, timeseries }: ScanReport): void {
    this.#total += totals.totalScans;
    this.#prunedVisitors += totals.uniqueScans;
    this.#prunedAddresses += totals.uniqueIps;
    for (const { country, scans } of breakdowns.country) this.#note('country', country, scans);
    for (const { deviceType, scans } of breakdowns.device) {
      this.#note('deviceType', deviceType, scans);
    }
    for (const { browser, scans } of breakdowns.browser) this.#note('browser', browser, scans);
    for (const { scanMethod, scans } of breakdowns.scanMethod) {
      this.#note('scanMethod', scanMethod, scans);
    }
    for (const { scannerApp, scans } of breakdowns.scannerApp) {
      this.#note('scannerApp', scannerApp, scans);
    }
    const isHourly = this.#buckets.eachMs === hourMs;
    for (const { bucket: instant, scans, uniques } of timeseries) {
      const bucket = this.#bucketOf(Date.parse(instant));
      this.#bucketScans[bucket] = (this.#bucketScans[bucket] as number) + scans;
      if (isHourly) this.#addPruned(bucket, uniques);
    }
    const [first] = timeseries;
    if (!isHourly && first) {
      this.#addPruned(this.#bucketOf(Date.parse(first.bucket)), totals.uniqueScans);
    }
  }

  #bucketOf(time: number): number {
    return Math.floor((time - this.#buckets.firstAt) / this.#buckets.eachMs);
  }

  #note(dimension: Dimension, text: string, scans: number): void {
    const counts = this.#counts[dimension];
    counts.set(text, (counts.get(text) ?? 0) + scans);
  }

  #addPruned(bucket: number, visitors: number): void {
    this.#prunedInBucket[bucket] = (this.#prunedInBucket[bucket] as number) + visitors;
  }

  /** The report, with the `limit` largest entries of each breakdown; nothing can be added any more. */
  finish(limit: number): ScanReport {
    const visitors = this.#visitors.finish(this.#buckets.count);
    const addresses = this.#addresses.finish();
    const { firstAt, eachMs } = this.#buckets;
    const top = (dimension: Dimension) => largest(this.#counts[dimension], limit);
    return {
      totals: {
        totalScans: this.#total,
        uniqueScans: visitors.total + this.#prunedVisitors,
        uniqueIps: addresses.total + this.#prunedAddresses,
      },
      breakdowns: {
        country: top('country').map(([country, scans]) => ({ country, scans })),
        device: top('deviceType').map(([deviceType, scans]) => ({
          deviceType: deviceType as Breakdowns['device'][number]['deviceType'],
          scans,
        })),
        browser: top('browser').map(([browser, scans]) => ({ browser, scans })),
        scanMethod: top('scanMethod').map(([scanMethod, scans]) => ({
          scanMethod: scanMethod as ScanMethod,
          scans,
        })),
        scannerApp: top('scannerApp').map(([scannerApp, scans]) => ({ scannerApp, scans })),
      },
      timeseries: Array.from(this.#bucketScans, (scans, bucket) => ({
        bucket: new Date(firstAt + bucket * eachMs).toISOString(),
        scans,
        uniques: (visitors.inBuckets[bucket] as number) + (this.#prunedInBucket[bucket] as number),
      })),
    };
  }
}
