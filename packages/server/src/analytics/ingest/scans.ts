import type { InferResult, Kysely } from 'kysely';
import type { Schema } from '../../storage/schema.js';
import { decideScan, type Scan, type ScanFacts } from '../classify/decide-scan.js';
import type { Visit } from '../journal/journal-lines.js';
import {
  byCodeFlag,
  DictionaryBuilder,
  selectVisits,
  textAt,
  type VisitColumns,
} from './visit-columns.js';

/** The lifetime of a QR code. Only visits within it can be its scans. */
export interface QrSpan {
  readonly qrId: string;
  readonly from: number;
  /** The instant of the deletion (exclusive); null while the QR code exists. */
  readonly until: number | null;
}

/** A URL that has, or had, QR codes. */
export interface ScannedUrl {
  readonly urlId: number;
  readonly hasSlug: boolean;
  readonly spans: readonly QrSpan[];
}

/** URLs that have, or had, QR codes, by their ids. */
export type ScannedUrls = ReadonlyMap<number, ScannedUrl>;

/** Selects QR codes, deleted ones included. A standalone QR code has no URL. */
export function selectSpans(db: Kysely<Schema>) {
  return db
    .selectFrom('qr_codes')
    .leftJoin('urls', 'urls.id', 'qr_codes.url_id')
    .select([
      'qr_codes.id as qrId',
      'qr_codes.created_at as from',
      'qr_codes.deleted_at as until',
      'qr_codes.url_id as urlId',
      'urls.custom_slug as slug',
    ]);
}

/** Groups QR codes by the ids of their URLs. */
export function toScannedUrls(rows: InferResult<ReturnType<typeof selectSpans>>): ScannedUrls {
  const urls = new Map<number, ScannedUrl & { spans: QrSpan[] }>();
  for (const { urlId, slug, ...span } of rows) {
    if (urlId === null) continue;
    const known = urls.get(urlId);
    if (known) known.spans.push(span);
    else urls.set(urlId, { urlId, hasSlug: slug !== null, spans: [span] });
  }
  return urls;
}

function isWithin({ from, until }: QrSpan, at: number): boolean {
  return from <= at && (until === null || at < until);
}

/** Returns the QR codes of a URL that existed at a time. */
export function spansAt({ spans }: Pick<ScannedUrl, 'spans'>, at: number): readonly QrSpan[] {
  return spans.filter((span) => isWithin(span, at));
}

/** What decides whether a visit is a scan. */
interface ScanCandidate extends Pick<Visit, 'isByCode' | 'visitedAt'> {
  readonly facts: ScanFacts;
}

/**
 * Returns how a visit of a person was scanned; null if it was not. A visit is at most one scan, even when
 * the URL has several QR codes.
 */
export function scanOf(
  url: Pick<ScannedUrl, 'hasSlug' | 'spans'> | undefined,
  { isByCode, visitedAt, facts }: ScanCandidate,
): Scan | null {
  if (!url || !isByCode || !url.spans.some((span) => isWithin(span, visitedAt))) return null;
  return decideScan(url.hasSlug, facts);
}

/** The `scannerApp` of scans without a known app. */
const noApp = '(none)';

/**
 * Decides which visits are scans. Returns them with the columns `scanMethod`, `scannerApp` and
 * `certainty` of scans, which are empty for the other visits.
 */
export function decideScans(visits: VisitColumns, urls: ScannedUrls): VisitColumns {
  const { count, urlIds } = visits;
  const scanMethod = new DictionaryBuilder(count);
  const scannerApp = new DictionaryBuilder(count);
  const certainty = new DictionaryBuilder(count);
  for (let index = 0; index < count; index += 1) {
    // Most visits are of links without QR codes.
    const url = urls.get(urlIds[index] as number);
    const scan = url && scanOf(url, candidateAt(visits, index));
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
export function selectScans(visits: VisitColumns, urls: ScannedUrls): VisitColumns {
  const decided = decideScans(visits, urls);
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
  urls: ScannedUrls,
): void {
  const { urlIds, visitedAt } = selectScans(visits, urls);
  for (const [index, urlId] of urlIds.entries()) {
    const url = urls.get(urlId);
    for (const { qrId } of url ? spansAt(url, visitedAt[index] as number) : []) {
      counts.set(qrId, (counts.get(qrId) ?? 0) + 1);
    }
  }
}

function candidateAt(visits: VisitColumns, index: number): ScanCandidate {
  const flags = visits.flags[index] as number;
  return {
    isByCode: (flags & byCodeFlag) !== 0,
    visitedAt: visits.visitedAt[index] as number,
    facts: {
      evidence: flags & ~byCodeFlag,
      deviceType: textAt(visits, 'deviceType', index) as ScanFacts['deviceType'],
      os: textAt(visits, 'os', index),
      scannerApp: textAt(visits, 'scannerApp', index) || null,
    },
  };
}
