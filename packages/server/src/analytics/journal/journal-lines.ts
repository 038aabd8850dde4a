import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { UsageTally } from '../../organizations/usage-meters.js';
import type { VisitFacts } from '../classify/describe-visit.js';
import { segmentPath, segmentsIn } from './journal-folder.js';

/** One redirect. `facts` is a nested object because copying that many properties is slow. */
export interface Visit {
  readonly urlId: number;
  readonly visitedAt: number;
  /** True when the visit was by the short code, false when by the custom slug. */
  readonly isByCode: boolean;
  readonly facts: VisitFacts;
  /** The rule that chose the target, and its variant; null for the link's own target. */
  readonly variant: string | null;
}

const checksumDigits = 8;

/** Formats a line: the CRC-32 of a text as 8 hexadecimal digits, a space, the text, and a line feed. */
export function withChecksum(text: string): string {
  return `${checksumOf(text)} ${text}\n`;
}

/** Returns the text of a line without its line feed; undefined if its checksum is wrong. */
export function checkedText(line: Buffer): string | undefined {
  const text = line.subarray(checksumDigits + 1);
  const isIntact = line.toString('latin1', 0, checksumDigits + 1) === `${checksumOf(text)} `;
  return isIntact ? text.toString() : undefined;
}

function checksumOf(text: string | Buffer): string {
  return crc32(text).toString(16).padStart(checksumDigits, '0');
}

/** A visit, a download of a QR code by its id, or an API call of an organization. */
type JournalRecord =
  | Visit
  | { readonly download: string }
  | { readonly call: string; readonly at: number };

/** Formats a line. JSON has no line feeds. */
export function toLine(record: JournalRecord): string {
  return withChecksum(JSON.stringify('urlId' in record ? toRow(record) : record));
}

/** Returns a visit as an array. An object takes twice as long to read, because its text has the names, too. */
function toRow({ urlId, visitedAt, isByCode, variant, facts }: Visit) {
  return [
    urlId,
    visitedAt,
    isByCode,
    variant,
    facts.kind,
    facts.reason,
    facts.country,
    facts.region,
    facts.city,
    facts.deviceType,
    facts.browser,
    facts.os,
    facts.scannerApp,
    facts.evidence,
    facts.referrerDomain,
    facts.referrerType,
    facts.addressKey,
    facts.visitorKey,
    facts.campaign,
    facts.language,
  ] as const;
}

type VisitRow = ReturnType<typeof toRow>;
const rowLength: VisitRow['length'] = 20;

/**
 * Reverses `toRow`. Returns undefined if the line has no visit of this version. Its checksum proves that the
 * server wrote it, so only what decides about its count is checked.
 */
function toVisit(record: object): Visit | undefined {
  if (!Array.isArray(record) || record.length !== rowLength) return undefined;
  const [
    urlId,
    visitedAt,
    isByCode,
    variant,
    kind,
    reason,
    country,
    region,
    city,
    deviceType,
    browser,
    os,
    scannerApp,
    evidence,
    referrerDomain,
    referrerType,
    addressKey,
    visitorKey,
    campaign,
    language,
  ] = record as unknown as VisitRow;
  const areValid = [urlId, visitedAt, evidence].every(Number.isSafeInteger);
  if (!areValid || typeof kind !== 'string') return undefined;
  return {
    urlId,
    visitedAt,
    isByCode,
    variant,
    facts: {
      kind,
      reason,
      country,
      region,
      city,
      deviceType,
      browser,
      os,
      scannerApp,
      evidence,
      referrerDomain,
      referrerType,
      addressKey,
      visitorKey,
      campaign,
      language,
    },
  };
}

export type JournalRecords = ReturnType<typeof parseTexts>;

export function parseTexts(texts: readonly string[]) {
  const visits: Visit[] = [];
  /** The number of downloads by the id of the QR code. */
  const downloads = new Map<string, number>();
  const calls = new UsageTally();
  /** The texts that another version has written. */
  const unknown: string[] = [];
  for (const text of texts) {
    const record = parseRecord(text);
    const visit = toVisit(record);
    if (visit) visits.push(visit);
    else if (typeof record.download === 'string') {
      downloads.set(record.download, (downloads.get(record.download) ?? 0) + 1);
    } else if (typeof record.call === 'string' && Number.isSafeInteger(record.at)) {
      calls.add(record.call, record.at as number);
    } else unknown.push(text);
  }
  return { visits: visits as readonly Visit[], downloads, calls, unknown };
}

function parseRecord(text: string): Record<string, unknown> {
  try {
    const record = JSON.parse(text);
    return typeof record === 'object' && record !== null ? record : {};
  } catch {
    return {};
  }
}

export interface JournalPosition {
  readonly segment: number;
  /** In bytes, at the end of a line. */
  readonly offset: number;
}

export const journalStart: JournalPosition = { segment: 1, offset: 0 };

/** Bytes of a journal that cannot be stored. */
export interface DamagedLine {
  /**
   * `damaged`: the checksum is wrong. `torn`: the process ended while it wrote the line, which no response
   * had waited for. `unknown format`: another version wrote the line. `unknown link`: no link has its id.
   */
  readonly reason: 'damaged' | 'torn' | 'unknown format' | 'unknown link';
  readonly bytes: Buffer;
}

// One transaction stores the lines of a chunk, typically 2,500. On SQLite, it blocks all other writes,
// for about 8 ms. A quarter of it costs 1.4 times as much for each line, because each transaction writes
// most pages of the counters.
const chunkBytes = 512 * 1024;
const lineFeed = 0x0a;

/**
 * Reads the next lines after a position. Returns the texts of the intact ones, the others, and the
 * position after them; undefined when there are none. At the end of a segment, it continues with the
 * next segment, because the writer appends only to the last one.
 *
 * @param hasEnded the writer has ended, so the last segment gets no further bytes
 */
export function readJournal(folder: string, from: JournalPosition, hasEnded: boolean) {
  const segments = segmentsIn(folder);
  let { segment, offset } = from;
  for (;;) {
    const next = segments.find((number) => number > segment);
    if (segments.includes(segment)) {
      const bytes = readFrom(segmentPath(folder, segment), offset);
      const isWhole = bytes.length < chunkBytes && (hasEnded || next !== undefined);
      const lastEnd = bytes.lastIndexOf(lineFeed) + 1;
      // No intact line is as long as a chunk.
      const isEndless = lastEnd === 0 && bytes.length === chunkBytes;
      const end = isWhole || isEndless ? bytes.length : lastEnd;
      if (end > 0) {
        const lines = splitLines(bytes.subarray(0, end), isWhole && next === undefined);
        return { ...lines, position: { segment, offset: offset + end } };
      }
    }
    if (next === undefined) return undefined;
    segment = next;
    offset = 0;
  }
}

/** `mayBeTorn` tells whether a last line without a line feed is one that its writer has not finished. */
function splitLines(bytes: Buffer, mayBeTorn: boolean) {
  const texts: string[] = [];
  const damaged: DamagedLine[] = [];
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(lineFeed, start);
    const end = feed < 0 ? bytes.length : feed;
    const line = bytes.subarray(start, end);
    const text = checkedText(line);
    if (text !== undefined) texts.push(text);
    else damaged.push({ reason: feed < 0 && mayBeTorn ? 'torn' : 'damaged', bytes: line });
    start = end + 1;
  }
  return { texts, damaged };
}

export function findJournalEnd(folder: string): JournalPosition {
  const segment = segmentsIn(folder).at(-1);
  if (segment === undefined) return journalStart;
  return { segment, offset: statSync(segmentPath(folder, segment)).size };
}

export function isBefore(first: JournalPosition, second: JournalPosition): boolean {
  return (
    first.segment < second.segment ||
    (first.segment === second.segment && first.offset < second.offset)
  );
}

export function removeReadSegments(folder: string, position: JournalPosition): void {
  for (const segment of segmentsIn(folder)) {
    if (segment < position.segment) rmSync(segmentPath(folder, segment), { force: true });
  }
}

function readFrom(path: string, offset: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(chunkBytes);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(file);
  }
}
