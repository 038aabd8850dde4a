import type { z } from 'zod';
import type { QrSpan } from '../ingest/scanned-url.js';
import type { scanBreakdowns, scanBucket, scanTotals } from './scans-contract.js';
import { selectScans } from './select-scans.js';
import { singleField, type VisitMeasure } from './visit-tally.js';

export interface ScanReport {
  readonly totals: z.input<typeof scanTotals>;
  readonly breakdowns: z.input<typeof scanBreakdowns>;
  readonly timeseries: z.input<typeof scanBucket>[];
}

type ScanDimension = 'country' | 'deviceType' | 'browser' | 'scanMethod' | 'scannerApp';

/** The scans of one QR code. `hasSlug` tells whether its URL has a custom slug. */
export function scansOf(span: QrSpan, hasSlug: boolean): VisitMeasure<ScanDimension> {
  const url = { hasSlug, spans: [span] };
  return {
    select(columns, window, places) {
      const { places: found, ...words } = selectScans(columns, window, () => url, places);
      return { places: found, words: { ...columns.words, ...words } };
    },
    dimensions: {
      country: singleField('country'),
      deviceType: singleField('deviceType', 'device'),
      browser: singleField('browser'),
      scanMethod: singleField('scanMethod'),
      scannerApp: singleField('scannerApp'),
    },
    countField: 'scans',
    totalFields: { visits: 'totalScans', visitors: 'uniqueScans', addresses: 'uniqueIps' },
  };
}
