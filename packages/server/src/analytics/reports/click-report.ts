import type { z } from 'zod';
import { joinReferrer, kindOf, splitReferrer, type VisitColumns } from '../ingest/visit-columns.js';
import type { clickBreakdowns, clickBucket, clickTotals } from './clicks-contract.js';
import type { ReportWindow } from './report-window.js';
import { type Selection, singleField, type VisitMeasure } from './visit-tally.js';

export interface ClickReport {
  readonly totals: z.input<typeof clickTotals>;
  readonly breakdowns: z.input<typeof clickBreakdowns>;
  readonly timeseries: z.input<typeof clickBucket>[];
}

type ClickDimension = 'country' | 'deviceType' | 'browser' | 'os' | 'referrer';

/** Clicks: the visits of people. */
export const clicks: VisitMeasure<ClickDimension> = {
  select: selectClicks,
  dimensions: {
    country: singleField('country'),
    deviceType: singleField('deviceType', 'device'),
    browser: singleField('browser'),
    os: singleField('os'),
    referrer: {
      breakdown: 'referrer',
      toFields(value) {
        const { referrerDomain, referrerType } = splitReferrer(value);
        return { referrerDomain, referrerType };
      },
      toValue: ({ referrerType, referrerDomain }) =>
        joinReferrer(referrerType as string, referrerDomain as string),
    },
  },
  countField: 'clicks',
  totalFields: { visits: 'totalClicks', visitors: 'uniqueClicks', addresses: 'uniqueIps' },
};

function selectClicks(
  { count, visitedAt, words }: VisitColumns,
  { since, until }: ReportWindow,
  places?: Uint32Array,
): Selection<ClickDimension> {
  const { texts, codes } = words.source;
  const isClick = Uint8Array.from(texts, (text) => (kindOf(text) === 'human' ? 1 : 0));
  const length = places?.length ?? count;
  const found = new Uint32Array(length);
  let clickCount = 0;
  for (let index = 0; index < length; index += 1) {
    const at = places === undefined ? index : (places[index] as number);
    const time = visitedAt[at] as number;
    if (time < since || time >= until || isClick[codes[at] as number] === 0) continue;
    found[clickCount] = at;
    clickCount += 1;
  }
  return { places: found.subarray(0, clickCount), words };
}
