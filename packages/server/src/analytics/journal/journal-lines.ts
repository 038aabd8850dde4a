import { UsageTally } from '../../organizations/usage-meters.js';
import type { VisitFacts } from '../classify/describe-visit.js';
import { toFrame } from './journal-frames.js';

/** One redirect. `facts` is a nested object because copying that many properties is slow. */
export interface Visit {
  readonly urlId: number;
  /** Milliseconds since 1970. */
  readonly visitedAt: number;
  /** True when the visit was by the short code, false when by the custom slug. */
  readonly isByCode: boolean;
  readonly facts: VisitFacts;
}

// The version of a visit's fields: a server may read a journal that another release wrote.
const version = '1';
const fieldCount = 16;

/** Formats a visit as a line of the journal. */
export function toLine(visit: Visit): string {
  return toFrame(toText(visit));
}

/** Formats a visit as the text of a line. Its fields have no tabs and no line breaks. */
export function toText({ urlId, visitedAt, isByCode, facts }: Visit): string {
  return `${version}\t${urlId}\t${visitedAt}\t${isByCode ? 1 : 0}\t${facts.kind}\t${facts.reason}\t${facts.country}\t${facts.deviceType}\t${facts.browser}\t${facts.os}\t${facts.referrerDomain}\t${facts.referrerType}\t${facts.visitorKey ?? ''}\t${facts.addressKey}\t${facts.scannerApp ?? ''}\t${facts.evidence}`;
}

/** Parses the text of a visit. Returns undefined when it has another version or is damaged. */
function toVisit(line: string): Visit | undefined {
  const cells = line.split('\t');
  if (cells[0] !== version || cells.length !== fieldCount) return undefined;
  const text = (at: number) => cells[at] as string;
  const urlId = Number(cells[1]);
  const visitedAt = Number(cells[2]);
  const evidence = Number(cells[15]);
  if (![urlId, visitedAt, evidence].every(Number.isSafeInteger)) return undefined;
  return {
    urlId,
    visitedAt,
    isByCode: cells[3] === '1',
    facts: {
      kind: text(4) as VisitFacts['kind'],
      reason: text(5) as VisitFacts['reason'],
      country: text(6),
      deviceType: text(7) as VisitFacts['deviceType'],
      browser: text(8),
      os: text(9),
      referrerDomain: text(10),
      referrerType: text(11) as VisitFacts['referrerType'],
      visitorKey: text(12) || null,
      addressKey: text(13),
      scannerApp: text(14) || null,
      evidence,
    },
  };
}

const download = 'download\t';
const call = 'call\t';

export function toDownloadLine(qrId: string): string {
  return toFrame(`${download}${qrId}`);
}

/** Formats an API call as a line. `at` is in milliseconds since 1970. */
export function toCallLine(organizationId: string, at: number): string {
  return toFrame(`${call}${organizationId}\t${at}`);
}

export type JournalRecords = ReturnType<typeof parseTexts>;

/** Parses the texts of lines. */
export function parseTexts(texts: readonly string[]) {
  const visits: Visit[] = [];
  /** The number of downloads by the id of the QR code. */
  const downloads = new Map<string, number>();
  const calls = new UsageTally();
  /** The texts that this version does not know. */
  const unknown: string[] = [];
  for (const text of texts) {
    if (text.startsWith(download)) {
      const qrId = text.slice(download.length);
      downloads.set(qrId, (downloads.get(qrId) ?? 0) + 1);
    } else if (text.startsWith(call)) {
      const [organizationId = '', at] = text.slice(call.length).split('\t');
      if (Number.isSafeInteger(Number(at))) calls.add(organizationId, Number(at));
      else unknown.push(text);
    } else {
      const visit = toVisit(text);
      if (visit) visits.push(visit);
      else unknown.push(text);
    }
  }
  return { visits: visits as readonly Visit[], downloads, calls, unknown };
}
