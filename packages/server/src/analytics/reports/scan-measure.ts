import { decideScan, type ScanFacts } from '../classify/decide-scan.js';
import { isWithin, type QrSpan, type ScannedUrl } from '../ingest/scanned-url.js';
import {
  byCodeFlag,
  DictionaryBuilder,
  type DictionaryColumnName,
  type VisitColumns,
} from '../ingest/visit-columns.js';
import { selectClicks } from './click-measure.js';
import type { ScanReport } from './report-contract.js';
import type { Window } from './report-window.js';
import type { VisitMeasure } from './visit-tally.js';

/** Counts the scans of one QR code. `hasSlug` is true when its URL has a custom slug. */
export function scanMeasure(span: QrSpan, hasSlug: boolean): VisitMeasure<ScanReport> {
  const url = { hasSlug, spans: [span] };
  return {
    select(columns, window, visits) {
      const { indexes, ...decided } = selectScans(columns, window, () => url, visits);
      return { indexes, columns: { ...columns.dictionaries, ...decided } };
    },
    dimensions: {
      country: { column: 'country', fields: ['country'] },
      device: { column: 'deviceType', fields: ['deviceType'] },
      browser: { column: 'browser', fields: ['browser'] },
      scanMethod: { column: 'scanMethod', fields: ['scanMethod'] },
      scannerApp: { column: 'scannerApp', fields: ['scannerApp'] },
    },
    countField: 'scans',
    totalFields: { visits: 'totalScans', visitors: 'uniqueScans', addresses: 'uniqueIps' },
  };
}

/** The `scannerApp` of scans without a known app. */
const noApp = '(none)';

/**
 * Selects the scans in a window, out of all visits or of those at `visits`. `urlAt` returns the
 * visited URL with its QR codes, or undefined when the visit does not count. A visit is at most one
 * scan, even when the URL has several QR codes. Also returns the method and the app of each scan.
 */
export function selectScans(
  columns: VisitColumns,
  window: Window,
  urlAt: (index: number) => Pick<ScannedUrl, 'hasSlug' | 'spans'> | undefined,
  visits?: Uint32Array,
) {
  const { count, visitedAt, flags } = columns;
  const scanMethod = new DictionaryBuilder(count);
  const scannerApp = new DictionaryBuilder(count);
  const indexes = selectClicks(columns, window, visits).filter((index) => {
    if (((flags[index] as number) & byCodeFlag) === 0) return false;
    const url = urlAt(index);
    if (!url?.spans.some((span) => isWithin(span, visitedAt[index] as number))) return false;
    const scan = decideScan(url.hasSlug, scanFactsAt(columns, index));
    if (!scan) return false;
    scanMethod.set(index, scan.scanMethod);
    scannerApp.set(index, scan.scannerApp ?? noApp);
    return true;
  });
  return { indexes, scanMethod: scanMethod.finish(count), scannerApp: scannerApp.finish(count) };
}

function scanFactsAt({ flags, dictionaries }: VisitColumns, index: number): ScanFacts {
  const textOf = (name: DictionaryColumnName) => {
    const { values, codes } = dictionaries[name];
    return values[codes[index] as number] as string;
  };
  return {
    evidence: (flags[index] as number) & ~byCodeFlag,
    deviceType: textOf('deviceType') as ScanFacts['deviceType'],
    os: textOf('os'),
    scannerApp: textOf('scannerApp') || null,
  };
}
