import { decideScan, type ScanFacts } from '../classify/decide-scan.js';
import { isWithin, type ScannedUrl } from './scanned-url.js';
import {
  byCodeFlag,
  DictionaryBuilder,
  selectVisits,
  textAt,
  type VisitColumns,
} from './visit-columns.js';

/** Returns the URL of an id with its QR codes, or undefined if its visits are no scans. */
type ScannedUrlOf = (urlId: number) => Pick<ScannedUrl, 'hasSlug' | 'spans'> | undefined;

/** The `scannerApp` of scans without a known app. */
const noApp = '(none)';

/**
 * Decides which visits are scans. Returns them with the columns `scanMethod`, `scannerApp` and
 * `certainty` of scans, which are empty for the other visits. A visit is at most one scan, even when the
 * URL has several QR codes.
 */
export function decideScans(visits: VisitColumns, urlOf: ScannedUrlOf): VisitColumns {
  const { count, urlIds, visitedAt, flags } = visits;
  const scanMethod = new DictionaryBuilder(count);
  const scannerApp = new DictionaryBuilder(count);
  const certainty = new DictionaryBuilder(count);
  for (let index = 0; index < count; index += 1) {
    if (((flags[index] as number) & byCodeFlag) === 0) continue;
    const url = urlOf(urlIds[index] as number);
    if (!url?.spans.some((span) => isWithin(span, visitedAt[index] as number))) continue;
    const scan = decideScan(url.hasSlug, scanFactsAt(visits, index));
    if (!scan) continue;
    scanMethod.set(index, scan.scanMethod);
    scannerApp.set(index, scan.scannerApp ?? noApp);
    certainty.set(index, scan.isProven ? 'proven' : 'inferred');
  }
  const decided = {
    scanMethod: scanMethod.finish(count),
    scannerApp: scannerApp.finish(count),
    certainty: certainty.finish(count),
  };
  return { ...visits, dictionaries: { ...visits.dictionaries, ...decided } };
}

/** Selects the scans among visits. They have the columns of scans. */
export function selectScans(visits: VisitColumns, urlOf: ScannedUrlOf): VisitColumns {
  const decided = decideScans(visits, urlOf);
  return selectVisits(decided, (index) => textAt(decided, 'certainty', index) !== '');
}

/** Selects the proven scans among scans. */
export function selectProven(scans: VisitColumns): VisitColumns {
  return selectVisits(scans, (index) => textAt(scans, 'certainty', index) === 'proven');
}

/** Adds scans to the number of each QR code, by its id. */
export function countScansOfCodes(
  counts: Map<string, number>,
  visits: VisitColumns,
  urlOf: ScannedUrlOf,
): void {
  const { urlIds, visitedAt } = selectScans(visits, urlOf);
  for (const [index, urlId] of urlIds.entries()) {
    for (const span of urlOf(urlId)?.spans ?? []) {
      if (!isWithin(span, visitedAt[index] as number)) continue;
      counts.set(span.qrId, (counts.get(span.qrId) ?? 0) + 1);
    }
  }
}

function scanFactsAt(visits: VisitColumns, index: number): ScanFacts {
  return {
    evidence: (visits.flags[index] as number) & ~byCodeFlag,
    deviceType: textAt(visits, 'deviceType', index) as ScanFacts['deviceType'],
    os: textAt(visits, 'os', index),
    scannerApp: textAt(visits, 'scannerApp', index) || null,
  };
}
