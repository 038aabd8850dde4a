import type { StoredVisits } from '../ingest/stored-visits.js';
import type { DictionaryColumn, VisitColumns } from '../ingest/visit-columns.js';
import { type Dimension, shownValue, splitFields } from './dimensions.js';
import { DistinctKeys } from './distinct-keys.js';
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
  /**
   * Returns the indexes of the visits in ascending order, those of them that are proven scans, and the
   * columns of their breakdowns.
   */
  select(
    visits: StoredVisits,
    window: ReportWindow,
  ): {
    indexes: Uint32Array;
    proven?: Uint32Array;
    columns: Readonly<Record<string, DictionaryColumn>>;
  };
  readonly dimensions: Readonly<Record<keyof R['breakdowns'] & string, Dimension>>;
  /** The noun in the names of fields, such as `totalClicks` and `clicks`. */
  readonly noun: 'Clicks' | 'Scans';
}

const none = new Uint32Array();

/** Returns the fields of a report's entry for a value of a column. */
function toFields(dimension: Dimension, value: string): Entry {
  const values = splitFields(dimension, value);
  return Object.fromEntries(dimension.fields.map((name, index) => [name, values[index] as string]));
}

/**
 * Counts the visits of a window. Totals, breakdowns and the time series come from the same
 * selection of visits, so they always add up.
 */
export class VisitTally<R extends Report> {
  readonly #measure: VisitMeasure<R>;
  /** The field with the number of visits, in breakdowns and in the time series. */
  readonly #countField: string;
  readonly #breakdowns;
  readonly #window: ReportWindow;
  readonly #buckets;
  readonly #visitors = new DistinctKeys();
  readonly #addresses = new DistinctKeys();
  readonly #visitsInBucket: Float64Array;
  readonly #provenInBucket: Float64Array;
  count = 0;
  #provenCount = 0;
  #isSecondPass = false;

  constructor(measure: VisitMeasure<R>, window: ReportWindow) {
    this.#measure = measure;
    this.#countField = measure.noun.toLowerCase();
    this.#breakdowns = Object.entries<Dimension>(measure.dimensions).map(([name, dimension]) => ({
      name,
      dimension,
      counts: new ValueCounts<string>(dimension.maxValues),
    }));
    this.#window = window;
    this.#buckets = bucketsOf(window);
    this.#visitsInBucket = new Float64Array(this.#buckets.count);
    this.#provenInBucket = new Float64Array(this.#buckets.count);
  }

  /** Makes space for visits. Must be the first call, with at least their number. */
  reserve(visits: number): void {
    if (this.#isSecondPass) return;
    this.#visitors.reserve(visits);
    this.#addresses.reserve(visits);
  }

  /** Counts visits, each of which must be added once. Returns the indexes of those that count. */
  add(visits: StoredVisits): Uint32Array {
    const { columns } = visits;
    const window = this.#window;
    const selected = this.#measure.select(visits, window);
    const breakdownColumns = selected.columns;
    const indexes = filterVisits(breakdownColumns, selected.indexes, window.conditions);
    const proven = filterVisits(breakdownColumns, selected.proven ?? none, window.conditions);
    if (indexes.length === 0) return indexes;
    // Column by column: a loop over one typed array is faster than a loop over visits.
    for (const { dimension, counts } of this.#breakdowns) {
      const { values, codes } = breakdownColumns[dimension.column] as DictionaryColumn;
      const added = countCodes(codes, indexes, values.length);
      const addedProven = countCodes(codes, proven, values.length);
      for (let code = 0; code < added.length; code += 1) {
        if (added[code] === 0) continue;
        const value = shownValue(dimension, values[code] as string);
        counts.add(value, added[code] as number, addedProven[code]);
      }
    }
    if (this.#isSecondPass) return indexes;
    const buckets = this.#bucketsOf(columns, indexes);
    for (let at = 0; at < buckets.length; at += 1) {
      const bucket = buckets[at] as number;
      this.#visitsInBucket[bucket] = (this.#visitsInBucket[bucket] as number) + 1;
    }
    this.#visitors.add(columns.visitors, indexes, buckets);
    this.#addresses.add(columns.addresses, indexes);
    this.count += indexes.length;
    this.#provenCount += proven.length;
    for (const index of proven) {
      addAt(this.#provenInBucket, this.#buckets.indexOf(columns.visitedAt[index] as number), 1);
    }
    return indexes;
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
    const countField = this.#countField;
    const { names, count } = this.#buckets;
    const visitors = this.#visitors.finish(count);
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

  /** Returns the bucket of each visit. */
  #bucketsOf({ visitedAt }: VisitColumns, indexes: Uint32Array): Int32Array {
    // A visit can be some milliseconds older than its record if the clocks of two nodes differ.
    const { indexOf, starts } = this.#buckets;
    const buckets = new Int32Array(indexes.length);
    let bucket = 0;
    let start = Number.POSITIVE_INFINITY;
    let end = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < indexes.length; at += 1) {
      const time = visitedAt[indexes[at] as number] as number;
      // Consecutive visits are nearly always in one bucket.
      if (time < start || time >= end) {
        bucket = indexOf(time);
        start = starts[bucket] ?? time;
        end = starts[bucket + 1] ?? Number.POSITIVE_INFINITY;
      }
      buckets[at] = bucket;
    }
    return buckets;
  }
}

function addAt(numbers: Float64Array, index: number, added: number): void {
  numbers[index] = (numbers[index] as number) + added;
}

function countCodes(
  codes: DictionaryColumn['codes'],
  indexes: Uint32Array,
  valueCount: number,
): Uint32Array {
  if (valueCount === 1) return Uint32Array.of(indexes.length);
  const counts = new Uint32Array(valueCount);
  for (let at = 0; at < indexes.length; at += 1) {
    const code = codes[indexes[at] as number] as number;
    counts[code] = (counts[code] as number) + 1;
  }
  return counts;
}
