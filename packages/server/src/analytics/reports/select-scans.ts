import { decideScan, type Scan, type ScanTraces } from '../classify/decide-scan.js';
import { isWithin, type ScannedUrl } from '../ingest/scanned-url.js';
import { byCode, kindOf, type VisitColumns, type Words } from '../ingest/visit-columns.js';
import type { ReportWindow } from './report-window.js';

export interface SelectedScans {
  /** The indexes of the visits that are scans, in ascending order. */
  readonly places: Uint32Array;
  readonly scanMethod: Words;
  readonly scannerApp: Words;
}

/** The `scannerApp` of scans without a known app. */
const noApp = '(none)';
const noScan = -1;

/**
 * Selects the visits that are scans, out of all or of those at `places`. `urlAt` returns the visited
 * URL with its QR codes, or undefined when the visit does not count. A visit is one scan, however
 * many codes the URL has.
 */
export function selectScans(
  columns: VisitColumns,
  { since, until }: Pick<ReportWindow, 'since' | 'until'>,
  urlAt: (at: number) => Pick<ScannedUrl, 'hasSlug' | 'spans'> | undefined,
  places?: Uint32Array,
): SelectedScans {
  const { count, visitedAt, marks, words } = columns;
  const { texts: sources, codes: sourceCodes } = words.source;
  const isPerson = Uint8Array.from(sources, (source) => (kindOf(source) === 'human' ? 1 : 0));
  const decide = scanDecider(columns);
  const length = places?.length ?? count;
  const found = new Uint32Array(length);
  // As narrow as the codes of stored words, which keeps the loops that read both fast.
  const codes =
    words.scannerApp.texts.length < 200 ? new Uint8Array(count) : new Uint16Array(count);
  let scanCount = 0;
  for (let index = 0; index < length; index += 1) {
    const at = places === undefined ? index : (places[index] as number);
    if (((marks[at] as number) & byCode) === 0) continue;
    if (isPerson[sourceCodes[at] as number] === 0) continue;
    const time = visitedAt[at] as number;
    if (time < since || time >= until) continue;
    const url = urlAt(at);
    if (url === undefined || !url.spans.some((span) => isWithin(span, time))) continue;
    const code = decide.find(at, url.hasSlug);
    if (code === noScan) continue;
    codes[at] = code;
    found[scanCount] = at;
    scanCount += 1;
  }
  return {
    places: found.subarray(0, scanCount),
    scanMethod: { texts: decide.scans.map((scan) => scan.scanMethod), codes },
    scannerApp: { texts: decide.scans.map((scan) => scan.scannerApp ?? noApp), codes },
  };
}

/**
 * Decides which visits by short code are scans. The inputs of the decision have few different
 * values, so each combination is decided once.
 */
function scanDecider({ marks, words }: VisitColumns) {
  const { deviceType: devices, os: systems, scannerApp: apps } = words;
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
    /** Returns the index in `scans` of the scan that a visit is, or `noScan`. */
    find(at: number, hasSlug: boolean): number {
      const mark = marks[at] as number;
      const device = devices.codes[at] as number;
      const os = systems.codes[at] as number;
      const app = apps.codes[at] as number;
      const combination =
        (((mark * devices.texts.length + device) * systems.texts.length + os) * apps.texts.length +
          app) *
          2 +
        (hasSlug ? 1 : 0);
      const known = decided.get(combination);
      if (known !== undefined) return known;
      const scan = decideScan(
        { hasQr: true, hasSlug, isByCode: true },
        {
          evidence: mark & ~byCode,
          deviceType: devices.texts[device] as ScanTraces['deviceType'],
          os: systems.texts[os] as string,
          scannerApp: apps.texts[app] || null,
        },
      );
      const index = scan ? indexOf(scan) : noScan;
      decided.set(combination, index);
      return index;
    },
  };
}
