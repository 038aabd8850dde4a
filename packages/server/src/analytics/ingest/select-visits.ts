import { decideScan, type ScanFacts } from '../classify/decide-scan.js';
import { isWithin, type ScannedUrl } from './scanned-url.js';
import type { StoredVisits, WantedVisits } from './stored-visits.js';
import {
  byCodeFlag,
  DictionaryBuilder,
  type DictionaryColumnName,
  type VisitColumns,
} from './visit-columns.js';

type Window = Pick<WantedVisits, 'since' | 'until'>;

/** Selects the visits in a window. */
export function selectClicks(
  { columns, indexes }: StoredVisits,
  { since, until }: Window,
): Uint32Array {
  const { visitedAt } = columns;
  const clicks = new Uint32Array(indexes.length);
  let clickCount = 0;
  for (let at = 0; at < indexes.length; at += 1) {
    const index = indexes[at] as number;
    const time = visitedAt[index] as number;
    if (time < since || time >= until) continue;
    clicks[clickCount] = index;
    clickCount += 1;
  }
  return clicks.subarray(0, clickCount);
}

/** The `scannerApp` of scans without a known app. */
const noApp = '(none)';

/**
 * Selects the scans in a window. `urlAt` returns the visited URL with its QR codes, or undefined when
 * the visit does not count. A visit is at most one scan, even when the URL has several QR codes. Also
 * returns the proven scans, and the method and the app of each scan.
 */
export function selectScans(
  visits: StoredVisits,
  window: Window,
  urlAt: (index: number) => Pick<ScannedUrl, 'hasSlug' | 'spans'> | undefined,
) {
  const { columns } = visits;
  const { count, visitedAt, flags } = columns;
  const scanMethod = new DictionaryBuilder(count);
  const scannerApp = new DictionaryBuilder(count);
  const isProven = new Uint8Array(count);
  const indexes = selectClicks(visits, window).filter((index) => {
    if (((flags[index] as number) & byCodeFlag) === 0) return false;
    const url = urlAt(index);
    if (!url?.spans.some((span) => isWithin(span, visitedAt[index] as number))) return false;
    const scan = decideScan(url.hasSlug, scanFactsAt(columns, index));
    if (!scan) return false;
    scanMethod.set(index, scan.scanMethod);
    scannerApp.set(index, scan.scannerApp ?? noApp);
    isProven[index] = scan.isProven ? 1 : 0;
    return true;
  });
  const proven = indexes.filter((index) => isProven[index] === 1);
  return {
    indexes,
    proven,
    scanMethod: scanMethod.finish(count),
    scannerApp: scannerApp.finish(count),
  };
}

/** Adds the scans in a window to the number of each QR code, by its id. */
export function countScansOfCodes(
  counts: Map<string, number>,
  visits: StoredVisits,
  window: Window,
  urlAt: (index: number) => Pick<ScannedUrl, 'hasSlug' | 'spans'> | undefined,
): void {
  for (const index of selectScans(visits, window, urlAt).indexes) {
    const at = visits.columns.visitedAt[index] as number;
    for (const span of urlAt(index)?.spans ?? []) {
      if (isWithin(span, at)) counts.set(span.qrId, (counts.get(span.qrId) ?? 0) + 1);
    }
  }
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
