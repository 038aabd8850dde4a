import { crc32 } from 'node:zlib';
import { UsageTally } from '../../organizations/usage-meters.js';
import type { VisitFacts } from '../classify/describe-visit.js';

/** One redirect. `facts` is a nested object because copying that many properties is slow. */
export interface Visit {
  readonly urlId: number;
  /** Milliseconds since 1970. */
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

/** Formats a visit as a line. JSON has no line feeds. */
export function toLine(visit: Visit): string {
  return withChecksum(JSON.stringify(visit));
}

export function toDownloadLine(qrId: string): string {
  return withChecksum(JSON.stringify({ download: qrId }));
}

/** Formats an API call as a line. `at` is in milliseconds since 1970. */
export function toCallLine(organizationId: string, at: number): string {
  return withChecksum(JSON.stringify({ call: organizationId, at }));
}

export type JournalRecords = ReturnType<typeof parseTexts>;

/** Parses the texts of lines. */
export function parseTexts(texts: readonly string[]) {
  const visits: Visit[] = [];
  /** The text of each visit. */
  const visitTexts: string[] = [];
  /** The number of downloads by the id of the QR code. */
  const downloads = new Map<string, number>();
  const calls = new UsageTally();
  /** The texts that another version has written. */
  const unknown: string[] = [];
  for (const text of texts) {
    const record = parseRecord(text);
    if ('urlId' in record && isVisit(record)) {
      visits.push(record);
      visitTexts.push(text);
    } else if (typeof record.download === 'string') {
      downloads.set(record.download, (downloads.get(record.download) ?? 0) + 1);
    } else if (typeof record.call === 'string' && Number.isSafeInteger(record.at)) {
      calls.add(record.call, record.at as number);
    } else unknown.push(text);
  }
  return { visits: visits as readonly Visit[], visitTexts, downloads, calls, unknown };
}

function parseRecord(text: string): Record<string, unknown> {
  try {
    const record = JSON.parse(text);
    return typeof record === 'object' && record !== null ? record : {};
  } catch {
    return {};
  }
}

/** The checksum proves that the server wrote the line, so only what decides about its count is checked. */
function isVisit(record: object): record is Visit {
  const { urlId, visitedAt, facts } = record as Partial<Visit>;
  return (
    Number.isSafeInteger(urlId) &&
    Number.isSafeInteger(visitedAt) &&
    typeof facts?.kind === 'string' &&
    Number.isSafeInteger(facts.evidence)
  );
}
