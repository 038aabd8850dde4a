import type { VisitColumns, Words } from '../ingest/visit-columns.js';
import { DistinctKeys } from './distinct-keys.js';
import { NumberPool } from './number-pool.js';
import { type Buckets, bucketsOf, hourMs, type ReportWindow } from './report-window.js';

type Entry = Readonly<Record<string, string | number>>;

/** The visits of a set of columns that count, and the values of their dimensions. */
export interface Selection<Dimension extends string> {
  /** The indexes of the visits, in ascending order. */
  readonly places: Uint32Array;
  readonly words: Readonly<Record<Dimension, Words>>;
}

/** A dimension of a report: the values that visits are counted by. */
export interface DimensionFields {
  /** The name of the dimension's list in the report's `breakdowns`. */
  readonly breakdown: string;
  /** Returns the fields that describe a value in the report. */
  toFields(value: string): Entry;
  /** Returns the value that the fields of an entry describe. */
  toValue(entry: Entry): string;
}

/** What a tally counts, and how its report names that. */
export interface VisitMeasure<Dimension extends string = string> {
  /** Selects the visits that count, out of all or of those at `places`. */
  select(columns: VisitColumns, window: ReportWindow, places?: Uint32Array): Selection<Dimension>;
  readonly dimensions: Readonly<Record<Dimension, DimensionFields>>;
  /** The field with the number of visits, in breakdowns and in the time series. */
  readonly countField: string;
  readonly totalFields: {
    readonly visits: string;
    readonly visitors: string;
    readonly addresses: string;
  };
}

/** The shape that all reports share; the names of most fields come from the measure. */
interface NamedReport {
  readonly totals: Readonly<Record<string, number>>;
  readonly breakdowns: Readonly<Record<string, readonly Entry[]>>;
  readonly timeseries: readonly Entry[];
}

/** A dimension whose value is one field. */
export function singleField(field: string, breakdown = field): DimensionFields {
  return {
    breakdown,
    toFields: (value) => ({ [field]: value }),
    toValue: (entry) => entry[field] as string,
  };
}

/**
 * Counts the visits of a window. Totals, breakdowns and the time series come from the same
 * selection of visits, so they always add up.
 */
export class VisitTally<Report> {
  readonly #measure: VisitMeasure;
  readonly #dimensions: readonly (readonly [string, DimensionFields])[];
  readonly #window: ReportWindow;
  readonly #buckets: Buckets;
  readonly #counts: ReadonlyMap<string, Map<string, number>>;
  readonly #visitors: DistinctKeys;
  readonly #addresses: DistinctKeys;
  readonly #visitsInBucket: Float64Array;
  readonly #prunedVisitorsInBucket: Float64Array;
  readonly #visitsOfUrl = new Map<number, number>();
  #total = 0;
  #prunedVisitors = 0;
  #prunedAddresses = 0;

  /** `Report` is the type that the measure's field names make. Successive tallies may share a pool. */
  constructor(measure: VisitMeasure, window: ReportWindow, pool = new NumberPool()) {
    this.#measure = measure;
    this.#dimensions = Object.entries(measure.dimensions);
    this.#window = window;
    this.#buckets = bucketsOf(window);
    this.#counts = new Map(this.#dimensions.map(([dimension]) => [dimension, new Map()]));
    this.#visitors = new DistinctKeys(pool);
    this.#addresses = new DistinctKeys(pool);
    this.#visitsInBucket = new Float64Array(this.#buckets.count);
    this.#prunedVisitorsInBucket = new Float64Array(this.#buckets.count);
  }

  /** The number of visits of each URL so far. */
  get visitsOfUrl(): ReadonlyMap<number, number> {
    return this.#visitsOfUrl;
  }

  /** Counts the visits of one URL. */
  add(urlId: number, columns: VisitColumns): void {
    const selection = this.#measure.select(columns, this.#window);
    this.#count(columns, selection);
    this.#addToUrl(urlId, selection.places.length);
  }

  /** Counts visits of many URLs: those of the URLs that `accepts` returns true for. */
  addAccepted(columns: VisitColumns, accepts: (urlId: number) => boolean): void {
    const { urlIds } = columns;
    if (!urlIds) throw new TypeError('the columns hold the visits of one URL: use add');
    const accepted = new Uint32Array(columns.count);
    let count = 0;
    for (let at = 0; at < columns.count; at += 1) {
      if (!accepts(urlIds[at] as number)) continue;
      accepted[count] = at;
      count += 1;
    }
    const selection = this.#measure.select(columns, this.#window, accepted.subarray(0, count));
    this.#count(columns, selection);
    for (const at of selection.places) this.#addToUrl(urlIds[at] as number, 1);
  }

  /**
   * Counts a pruned day from the hourly report that was stored when it was pruned. The keys of its
   * visitors are gone, so all of them count as different from those of other days.
   */
  addDay(urlId: number, dayReport: Report): void {
    const { countField, totalFields } = this.#measure;
    const { totals, breakdowns, timeseries } = dayReport as NamedReport;
    const visits = totals[totalFields.visits] as number;
    const visitors = totals[totalFields.visitors] as number;
    this.#total += visits;
    this.#prunedVisitors += visitors;
    this.#prunedAddresses += totals[totalFields.addresses] as number;
    this.#addToUrl(urlId, visits);
    for (const [dimension, { breakdown, toValue }] of this.#dimensions) {
      for (const entry of breakdowns[breakdown] ?? []) {
        this.#addToDimension(dimension, toValue(entry), entry[countField] as number);
      }
    }
    const isHourly = this.#buckets.eachMs === hourMs;
    for (const [index, hour] of timeseries.entries()) {
      const bucket = this.#bucketOf(Date.parse(hour.bucket as string));
      addAt(this.#visitsInBucket, bucket, hour[countField] as number);
      if (isHourly) addAt(this.#prunedVisitorsInBucket, bucket, hour.uniques as number);
      // The whole day is in one bucket: its visitors count once.
      else if (index === 0) addAt(this.#prunedVisitorsInBucket, bucket, visitors);
    }
  }

  /** Returns the report with the `limit` largest entries of each breakdown. Ends the tally. */
  finish(limit: number): Report {
    const { countField, totalFields } = this.#measure;
    const { firstAt, eachMs, count } = this.#buckets;
    const visitors = this.#visitors.finish(count);
    const addresses = this.#addresses.finish();
    const report: NamedReport = {
      totals: {
        [totalFields.visits]: this.#total,
        [totalFields.visitors]: visitors.total + this.#prunedVisitors,
        [totalFields.addresses]: addresses.total + this.#prunedAddresses,
      },
      breakdowns: Object.fromEntries(
        this.#dimensions.map(([dimension, { breakdown, toFields }]) => [
          breakdown,
          largest(this.#counts.get(dimension) as Map<string, number>, limit).map(
            ([value, visits]) => ({ ...toFields(value), [countField]: visits }),
          ),
        ]),
      ),
      timeseries: Array.from(this.#visitsInBucket, (visits, bucket) => ({
        bucket: new Date(firstAt + bucket * eachMs).toISOString(),
        [countField]: visits,
        uniques:
          (visitors.inBuckets[bucket] as number) + (this.#prunedVisitorsInBucket[bucket] as number),
      })),
    };
    return report as Report;
  }

  /** Counts column by column: a loop over one typed array is faster than a loop over visits. */
  #count(columns: VisitColumns, { places, words }: Selection<string>): void {
    if (places.length === 0) return;
    for (const [dimension] of this.#dimensions) {
      const { texts, codes } = words[dimension] as Words;
      const added = countCodes(codes, places, texts.length);
      for (let code = 0; code < added.length; code += 1) {
        if (added[code] === 0) continue;
        this.#addToDimension(dimension, texts[code] as string, added[code] as number);
      }
    }
    this.#visitors.add(columns.visitors, places, this.#countBuckets(columns, places));
    this.#addresses.add(columns.addresses, places);
    this.#total += places.length;
  }

  /** Counts visits into the time series; returns the bucket of each. */
  #countBuckets({ visitedAt }: VisitColumns, places: Uint32Array): Int32Array {
    const { eachMs } = this.#buckets;
    const visitsInBucket = this.#visitsInBucket;
    const buckets = new Int32Array(places.length);
    let bucket = 0;
    let startsAt = this.#buckets.firstAt;
    for (let index = 0; index < places.length; index += 1) {
      const time = visitedAt[places[index] as number] as number;
      // Visits are nearly in order of time, so most are in the bucket of the visit before.
      if (time < startsAt || time >= startsAt + eachMs) {
        bucket = this.#bucketOf(time);
        startsAt = this.#buckets.firstAt + bucket * eachMs;
      }
      buckets[index] = bucket;
      visitsInBucket[bucket] = (visitsInBucket[bucket] as number) + 1;
    }
    return buckets;
  }

  #bucketOf(time: number): number {
    return Math.floor((time - this.#buckets.firstAt) / this.#buckets.eachMs);
  }

  #addToDimension(dimension: string, value: string, visits: number): void {
    const counts = this.#counts.get(dimension) as Map<string, number>;
    counts.set(value, (counts.get(value) ?? 0) + visits);
  }

  #addToUrl(urlId: number, visits: number): void {
    if (visits > 0) this.#visitsOfUrl.set(urlId, (this.#visitsOfUrl.get(urlId) ?? 0) + visits);
  }
}

function addAt(counts: Float64Array, at: number, count: number): void {
  counts[at] = (counts[at] as number) + count;
}

function countCodes(codes: Words['codes'], places: Uint32Array, texts: number): Uint32Array {
  const counts = new Uint32Array(texts);
  for (let index = 0; index < places.length; index += 1) {
    const code = codes[places[index] as number] as number;
    counts[code] = (counts[code] as number) + 1;
  }
  return counts;
}

/** Returns the entries with the largest counts; equal counts in ascending order of their keys. */
export function largest<K extends string | number>(
  counts: ReadonlyMap<K, number>,
  limit: number,
): [K, number][] {
  return [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, limit);
}
