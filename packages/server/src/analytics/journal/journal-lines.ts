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
}

// The version of the line format: a server may read a journal that another release wrote.
const version = '1';
const fieldCount = 16;

/** Formats a visit as a line. Its texts have no tabs and no line breaks. */
export function toLine({ urlId, visitedAt, isByCode, facts }: Visit): string {
  return `${version}\t${urlId}\t${visitedAt}\t${isByCode ? 1 : 0}\t${facts.kind}\t${facts.reason}\t${facts.country}\t${facts.deviceType}\t${facts.browser}\t${facts.os}\t${facts.referrerDomain}\t${facts.referrerType}\t${facts.visitorKey ?? ''}\t${facts.addressKey}\t${facts.scannerApp ?? ''}\t${facts.evidence}\n`;
}

/** Parses a visit's line. Throws when the line has another version. */
function fromLine(line: string): Visit {
  const cells = line.split('\t');
  if (cells[0] !== version || cells.length !== fieldCount) {
    throw new Error(`journal line: must have version ${version}: ${line.slice(0, 100)}`);
  }
  const text = (at: number) => cells[at] as string;
  return {
    urlId: Number(cells[1]),
    visitedAt: Number(cells[2]),
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
      evidence: Number(cells[15]),
    },
  };
}

const download = 'download\t';
const call = 'call\t';

export function toDownloadLine(qrId: string): string {
  return `${download}${qrId}\n`;
}

/** Formats an API call as a line. `at` is in milliseconds since 1970. */
export function toCallLine(organizationId: string, at: number): string {
  return `${call}${organizationId}\t${at}\n`;
}

export type JournalRecords = ReturnType<typeof parseLines>;

/** Parses lines without their line feeds. */
export function parseLines(lines: readonly string[]) {
  const visits: Visit[] = [];
  /** The number of downloads by the id of the QR code. */
  const downloads = new Map<string, number>();
  const calls = new UsageTally();
  for (const line of lines) {
    if (line.startsWith(download)) {
      const qrId = line.slice(download.length);
      downloads.set(qrId, (downloads.get(qrId) ?? 0) + 1);
    } else if (line.startsWith(call)) {
      const [organizationId = '', at] = line.slice(call.length).split('\t');
      calls.add(organizationId, Number(at));
    } else visits.push(fromLine(line));
  }
  return { visits: visits as readonly Visit[], downloads, calls };
}
