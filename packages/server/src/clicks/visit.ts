import type { VisitFacts } from '../visits/describe-visit.js';

/** One answered redirect. */
export interface Visit extends VisitFacts {
  readonly urlId: number;
  /** Milliseconds since 1970. */
  readonly visitedAt: number;
  /** By the short code, and not by the slug. */
  readonly isByCode: boolean;
}

// A journal outlives an upgrade: a line says which order of fields it has.
const version = '1';
const fieldCount = 16;

/** A visit as one line of the journal. None of its texts has a tab or a line break. */
export function toLine(visit: Visit): string {
  return `${version}\t${visit.urlId}\t${visit.visitedAt}\t${visit.isByCode ? 1 : 0}\t${visit.kind}\t${visit.reason}\t${visit.country}\t${visit.deviceType}\t${visit.browser}\t${visit.os}\t${visit.referrerDomain}\t${visit.referrerType}\t${visit.visitorKey ?? ''}\t${visit.addressKey}\t${visit.scannerApp ?? ''}\t${visit.evidence}\n`;
}

/** The visit that a line of the journal tells of. */
export function fromLine(line: string): Visit {
  const cells = line.split('\t');
  if (cells[0] !== version || cells.length !== fieldCount) {
    throw new Error(`this is no line of a journal of version ${version}: ${line.slice(0, 100)}`);
  }
  const text = (at: number) => cells[at] as string;
  return {
    urlId: Number(cells[1]),
    visitedAt: Number(cells[2]),
    isByCode: cells[3] === '1',
    kind: text(4) as Visit['kind'],
    reason: text(5) as Visit['reason'],
    country: text(6),
    deviceType: text(7) as Visit['deviceType'],
    browser: text(8),
    os: text(9),
    referrerDomain: text(10),
    referrerType: text(11) as Visit['referrerType'],
    visitorKey: text(12) || null,
    addressKey: text(13),
    scannerApp: text(14) || null,
    evidence: Number(cells[15]),
  };
}
