import { kindOf, type VisitColumns } from '../ingest/visit-columns.js';
import type { ClickReport } from './report-contract.js';
import type { Window } from './report-window.js';
import type { VisitMeasure } from './visit-tally.js';

/** Counts clicks: the visits of people. */
export const clickMeasure: VisitMeasure<ClickReport> = {
  select: (columns, window, visits) => ({
    indexes: selectClicks(columns, window, visits),
    columns: columns.dictionaries,
  }),
  dimensions: {
    country: { column: 'country', fields: ['country'] },
    device: { column: 'deviceType', fields: ['deviceType'] },
    browser: { column: 'browser', fields: ['browser'] },
    os: { column: 'os', fields: ['os'] },
    referrer: { column: 'referrer', fields: ['referrerType', 'referrerDomain'] },
  },
  countField: 'clicks',
  totalFields: { visits: 'totalClicks', visitors: 'uniqueClicks', addresses: 'uniqueIps' },
};

/** Returns the indexes of the clicks in a window, out of all visits or of those at `visits`. */
export function selectClicks(
  { count, visitedAt, dictionaries }: VisitColumns,
  { since, until }: Window,
  visits?: Uint32Array,
): Uint32Array {
  const { values, codes } = dictionaries.source;
  const isClick = Uint8Array.from(values, (source) => (kindOf(source) === 'human' ? 1 : 0));
  const length = visits?.length ?? count;
  const clicks = new Uint32Array(length);
  let clickCount = 0;
  for (let at = 0; at < length; at += 1) {
    const index = visits === undefined ? at : (visits[at] as number);
    const time = visitedAt[index] as number;
    if (time < since || time >= until || isClick[codes[index] as number] === 0) continue;
    clicks[clickCount] = index;
    clickCount += 1;
  }
  return clicks.subarray(0, clickCount);
}
