import type { z } from 'zod';
import { joinReferrer, kindOf, splitReferrer, type VisitColumns } from '../ingest/visit-columns.js';
import type { clickBreakdowns, clickBucket, clickTotals } from './clicks-contract.js';
import type { Window } from './report-window.js';
import { singleField, type VisitMeasure } from './visit-tally.js';

export interface ClickReport {
  readonly totals: z.input<typeof clickTotals>;
  readonly breakdowns: z.input<typeof clickBreakdowns>;
  readonly timeseries: z.input<typeof clickBucket>[];
}

/** Counts clicks: the visits of people. */
export const clickMeasure: VisitMeasure<ClickReport> = {
  select: (columns, window, indexes) => ({
    indexes: selectClicks(columns, window, indexes),
    columns: columns.dictionaries,
  }),
  dimensions: {
    country: singleField('country'),
    device: singleField('deviceType'),
    browser: singleField('browser'),
    os: singleField('os'),
    referrer: {
      column: 'referrer',
      toFields(value) {
        const { referrerDomain, referrerType } = splitReferrer(value);
        return { referrerDomain, referrerType };
      },
      toValue: ({ referrerType, referrerDomain }) =>
        joinReferrer(referrerType as string, referrerDomain as string),
    },
  },
  countField: 'clicks',
  toBucket: (bucket, clicks, uniques) => ({ bucket, clicks, uniques }),
  totalFields: { visits: 'totalClicks', visitors: 'uniqueClicks', addresses: 'uniqueIps' },
};

/** Returns the indexes of the clicks in a window, out of all visits or of those at `indexes`. */
export function selectClicks(
  { count, visitedAt, dictionaries }: VisitColumns,
  { since, until }: Window,
  indexes?: Uint32Array,
): Uint32Array {
  const { values, codes } = dictionaries.source;
  const isClick = Uint8Array.from(values, (source) => (kindOf(source) === 'human' ? 1 : 0));
  const length = indexes?.length ?? count;
  const found = new Uint32Array(length);
  let clickCount = 0;
  for (let at = 0; at < length; at += 1) {
    const index = indexes === undefined ? at : (indexes[at] as number);
    const time = visitedAt[index] as number;
    if (time < since || time >= until || isClick[codes[index] as number] === 0) continue;
    found[clickCount] = index;
    clickCount += 1;
  }
  return found.subarray(0, clickCount);
}
