import { type ScannedUrl, selectProven, selectScans } from '../ingest/scans.js';
import {
  countTexts,
  type DictionaryColumn,
  maxVisits,
  type VisitColumns,
} from '../ingest/visit-columns.js';
import {
  clickDimensions,
  type Dimension,
  scanDimensions,
  shownValue,
  splitFields,
} from './dimensions.js';
import { DistinctKeys } from './distinct-keys.js';
import type { ClickReport, ScanReport } from './report-contract.js';
import { bucketsOf, type ReportWindow } from './report-window.js';
import { ValueCounts } from './value-counts.js';
import { filterVisits } from './visit-filter.js';

type Entry = Readonly<Record<string, string | number>>;

/** The common structure of reports. Click and scan reports have different field names. */
export interface Report {
  readonly totals: Readonly<Record<string, number>>;
  readonly breakdowns: Readonly<Record<string, readonly Entry[]>>;
  readonly timeseries: readonly Entry[];
}

/** Defines which visits a tally counts, and the field names of its report. */
export interface VisitMeasure<R extends Report> {
  /** Selects the visits that count. They have the columns of the dimensions. */
  select(visits: VisitColumns): VisitColumns;
  readonly dimensions: Readonly<Record<keyof R['breakdowns'] & string, Dimension>>;
  readonly noun: 'Clicks' | 'Scans';
}

/** Counts clicks: the visits of people. */
export const clickMeasure: VisitMeasure<ClickReport> = {
  select: (visits) => visits,
  dimensions: clickDimensions,
  noun: 'Clicks',
};

/** Counts the scans of a URL that has these QR codes. */
export function scanMeasure(url: ScannedUrl): VisitMeasure<ScanReport> {
  const urls = new Map([[url.urlId, url]]);
  return {
    select: (visits) => selectScans(visits, urls),
    dimensions: scanDimensions,
    noun: 'Scans',
  };
}

/** Returns the fields of a report's entry for a value of a column, and its label. */
function toFields(dimension: Dimension, value: string): Entry {
  const values = splitFields(dimension, value);
  const { fields, label = fields[0] as string } = dimension;
  const entry = Object.fromEntries(fields.map((name, index) => [name, values[index] as string]));
  return { ...entry, label: entry[label] as string };
}

/**
 * Counts the visits of a window. Totals, breakdowns and the time series come from the same
 * selection of visits, so they always add up.
 */
export class VisitTally<R extends Report> {
  readonly #measure: VisitMeasure<R>;
  readonly #breakdowns;
  readonly #window: ReportWindow;
  readonly #buckets;
  readonly #visitors: DistinctKeys;
  readonly #addresses = new DistinctKeys();
  /** The bucket of each visit that is being added. */
  readonly #bucketOfVisit = new Uint16Array(maxVisits);
  readonly #visitsInBucket: Uint32Array;
  readonly #provenInBucket: Uint32Array;
  count = 0;
  #provenCount = 0;
  #isSecondPass = false;

  constructor(measure: VisitMeasure<R>, window: ReportWindow) {
    this.#measure = measure;
    this.#breakdowns = Object.entries<Dimension>(measure.dimensions).map(([name, dimension]) => ({
      name,
      dimension,
      counts: new ValueCounts<string>(dimension.maxValues),
    }));
    this.#window = window;
    this.#buckets = bucketsOf(window);
    this.#visitors = new DistinctKeys(this.#buckets.count);
    this.#visitsInBucket = new Uint32Array(this.#buckets.count);
    this.#provenInBucket = new Uint32Array(this.#buckets.count);
  }

  /** Makes space for visits. Must be the first call, with at least their number. */
  reserve(visits: number): void {
    if (this.#isSecondPass) return;
    this.#visitors.reserve(visits);
    this.#addresses.reserve(visits);
  }

  /** Counts visits, each of which must be added once. Returns those that count. */
  add(visits: VisitColumns): VisitColumns {
    const counted = filterVisits(this.#measure.select(visits), this.#window.conditions);
    const { count } = counted;
    if (count === 0) return counted;
    const proven = this.#measure.noun === 'Scans' ? selectProven(counted) : undefined;
    // Column by column: a loop over one typed array is faster than a loop over visits.
    for (const { dimension, counts } of this.#breakdowns) {
      const { values } = counted.dictionaries[dimension.column] as DictionaryColumn;
      const added = countTexts(counted, dimension.column);
      const addedProven = proven && countTexts(proven, dimension.column);
      for (let code = 0; code < added.length; code += 1) {
        if (added[code] === 0) continue;
        const value = shownValue(dimension, values[code] as string);
        counts.add(value, added[code] as number, addedProven?.[code]);
      }
    }
    if (this.#isSecondPass) return counted;
    const buckets = this.#countInBuckets(counted, this.#visitsInBucket);
    this.#visitors.add(counted.visitors, buckets);
    this.#addresses.add(counted.addresses);
    this.count += count;
    if (!proven) return counted;
    this.#provenCount += proven.count;
    this.#countInBuckets(proven, this.#provenInBucket);
    return counted;
  }

  /** Returns false when all counts are exact. If true, the caller must add all visits again. */
  startSecondPass(): boolean {
    const areInexact = this.#breakdowns.map(({ counts }) => counts.startSecondPass());
    this.#isSecondPass = areInexact.includes(true);
    return this.#isSecondPass;
  }

  /** Returns the report with the `limit` largest entries of each breakdown. No visits may follow. */
  finish(limit: number): R {
    const { noun } = this.#measure;
    const countField = noun.toLowerCase();
    const { names } = this.#buckets;
    const visitors = this.#visitors.finish();
    const addresses = this.#addresses.finish();
    const report: Report = {
      totals: {
        [`total${noun}`]: this.count,
        [`unique${noun}`]: visitors.total,
        uniqueIps: addresses.total,
        ...this.#certaintyOf(this.#provenCount, this.count),
      },
      breakdowns: Object.fromEntries(
        this.#breakdowns.map(({ name, dimension, counts }) => [
          name,
          counts.largest(limit).map(([value, visits]) => ({
            ...toFields(dimension, value),
            [countField]: visits,
            count: visits,
            ...this.#certaintyOf(counts.provenOf(value), visits),
          })),
        ]),
      ),
      timeseries: Array.from(this.#visitsInBucket, (visits, bucket) => ({
        bucket: names[bucket] as string,
        [countField]: visits,
        uniques: visitors.inBuckets[bucket] as number,
        ...this.#certaintyOf(this.#provenInBucket[bucket] as number, visits),
      })),
    };
    return report as R;
  }

  /** Returns the fields that say how many of the scans are proven. Reports of clicks have none. */
  #certaintyOf(proven: number, scans: number): Readonly<Record<string, number>> {
    if (this.#measure.noun === 'Clicks') return {};
    return { provenScans: proven, inferredScans: scans - proven };
  }

  /** Counts visits by their buckets. Returns the bucket of each. */
  #countInBuckets({ count, visitedAt }: VisitColumns, counts: Uint32Array): Uint16Array {
    const { indexOf, starts } = this.#buckets;
    const buckets = this.#bucketOfVisit.subarray(0, count);
    for (let at = 0; at < count; ) {
      const from = at;
      let time = visitedAt[at] as number;
      const bucket = indexOf(time);
      const start = starts[bucket] as number;
      const end = starts[bucket + 1] ?? Number.POSITIVE_INFINITY;
      // Consecutive visits are usually in the same bucket.
      do {
        buckets[at] = bucket;
        at += 1;
        time = at < count ? (visitedAt[at] as number) : end;
      } while (time >= start && time < end);
      counts[bucket] = (counts[bucket] as number) + at - from;
    }
    return buckets;
  }
}
