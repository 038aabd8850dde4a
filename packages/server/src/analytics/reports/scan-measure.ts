import type { z } from 'zod';
import { decideScan, type Scan, type ScanFacts } from '../classify/decide-scan.js';
import { isWithin, type QrSpan, type ScannedUrl } from '../ingest/scanned-url.js';
import { byCodeFlag, type DictionaryColumn, type VisitColumns } from '../ingest/visit-columns.js';
import { selectClicks } from './click-measure.js';
import type { Window } from './report-window.js';
import type { scanBreakdowns, scanBucket, scanTotals } from './scans-contract.js';
import { singleField, type VisitMeasure } from './visit-tally.js';

export interface ScanReport {
  readonly totals: z.input<typeof scanTotals>;
  readonly breakdowns: z.input<typeof scanBreakdowns>;
  readonly timeseries: z.input<typeof scanBucket>[];
}

/** Counts the scans of one QR code. `hasSlug` is true when its URL has a custom slug. */
export function scanMeasure(span: QrSpan, hasSlug: boolean): VisitMeasure<ScanReport> {
  const url = { hasSlug, spans: [span] };
  return {
    select(columns, window, indexes) {
      const scans = selectScans(columns, window, () => url, indexes);
      const { scanMethod, scannerApp } = scans;
      return {
        indexes: scans.indexes,
        columns: { ...columns.dictionaries, scanMethod, scannerApp },
      };
    },
    dimensions: {
      country: singleField('country'),
      device: singleField('deviceType'),
      browser: singleField('browser'),
      scanMethod: singleField('scanMethod'),
      scannerApp: singleField('scannerApp'),
    },
    countField: 'scans',
    toBucket: (bucket, scans, uniques) => ({ bucket, scans, uniques }),
    totalFields: { visits: 'totalScans', visitors: 'uniqueScans', addresses: 'uniqueIps' },
  };
}

export interface SelectedScans {
  /** The indexes of the visits that are scans, in ascending order. */
  readonly indexes: Uint32Array;
  readonly scanMethod: DictionaryColumn;
  readonly scannerApp: DictionaryColumn;
}

/** The `scannerApp` of scans without a known app. */
const noApp = '(none)';
const noScan = -1;

/**
 * Selects the scans in a window, out of all visits or of those at `indexes`. `urlAt` returns the
 * visited URL with its QR codes, or undefined when the visit does not count. A visit is at most one
 * scan, even when the URL has several QR codes.
 */
export function selectScans(
  columns: VisitColumns,
  window: Window,
  urlAt: (index: number) => Pick<ScannedUrl, 'hasSlug' | 'spans'> | undefined,
  indexes?: Uint32Array,
): SelectedScans {
  const { count, visitedAt, flags, dictionaries } = columns;
  const clicks = selectClicks(columns, window, indexes);
  const decider = scanDecider(columns);
  const found = new Uint32Array(clicks.length);
  // The same element type as most stored codes: loops over one type of array are faster.
  const codes =
    dictionaries.scannerApp.values.length < 200 ? new Uint8Array(count) : new Uint16Array(count);
  let scanCount = 0;
  for (let at = 0; at < clicks.length; at += 1) {
    const index = clicks[at] as number;
    if (((flags[index] as number) & byCodeFlag) === 0) continue;
    const url = urlAt(index);
    if (url === undefined || !isWithinAny(url.spans, visitedAt[index] as number)) continue;
    const code = decider.decide(index, url.hasSlug);
    if (code === noScan) continue;
    codes[index] = code;
    found[scanCount] = index;
    scanCount += 1;
  }
  return {
    indexes: found.subarray(0, scanCount),
    scanMethod: { values: decider.scans.map((scan) => scan.scanMethod), codes },
    scannerApp: { values: decider.scans.map((scan) => scan.scannerApp ?? noApp), codes },
  };
}

function isWithinAny(spans: readonly QrSpan[], time: number): boolean {
  for (const span of spans) if (isWithin(span, time)) return true;
  return false;
}

/**
 * Decides which visits by short code are scans. The inputs of the decision have few different
 * values, so each combination is decided once.
 */
function scanDecider({ flags, dictionaries }: VisitColumns) {
  const { deviceType: devices, os: systems, scannerApp: apps } = dictionaries;
  const decided = new Map<number, number>();
  /** The scans found so far, without duplicates. */
  const scans: Scan[] = [];
  const indexOf = ({ scanMethod, scannerApp }: Scan) => {
    const index = scans.findIndex(
      (each) => each.scanMethod === scanMethod && each.scannerApp === scannerApp,
    );
    return index < 0 ? scans.push({ scanMethod, scannerApp }) - 1 : index;
  };
  return {
    scans,
    /** Returns the index in `scans` of a visit's scan, or `noScan`. */
    decide(index: number, hasSlug: boolean): number {
      const flag = flags[index] as number;
      const device = devices.codes[index] as number;
      const os = systems.codes[index] as number;
      const app = apps.codes[index] as number;
      const combination =
        (((flag * devices.values.length + device) * systems.values.length + os) *
          apps.values.length +
          app) *
          2 +
        (hasSlug ? 1 : 0);
      const known = decided.get(combination);
      if (known !== undefined) return known;
      const scan = decideScan(
        { hasQr: true, hasSlug, isByCode: true },
        {
          evidence: flag & ~byCodeFlag,
          deviceType: devices.values[device] as ScanFacts['deviceType'],
          os: systems.values[os] as string,
          scannerApp: apps.values[app] || null,
        },
      );
      const result = scan ? indexOf(scan) : noScan;
      decided.set(combination, result);
      return result;
    },
  };
}
