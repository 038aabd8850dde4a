import type { VisitFacts } from '../visits/describe-visit.js';

/** One answered redirect. */
export interface Visit extends VisitFacts {
  readonly urlId: number;
  /** Milliseconds since 1970. */
  readonly visitedAt: number;
  /** By the short code, and not by the slug. */
  readonly isByCode: boolean;
}

const evidence = [
  'isDedicatedScanner',
  'isInApp',
  'hasReferrer',
  'isImageSearch',
  'isOwnNavigation',
] as const;

type Evidence = Readonly<Record<(typeof evidence)[number], boolean>>;

/** What speaks for a scan, as bits: the first in `evidence` is the lowest. */
export function evidenceOf(facts: Evidence): number {
  return evidence.reduce((bits, name, at) => bits | (facts[name] ? 1 << at : 0), 0);
}

export function fromEvidence(bits: number): Evidence {
  return Object.fromEntries(
    evidence.map((name, at) => [name, (bits & (1 << at)) !== 0]),
  ) as Evidence;
}

// A journal outlives an upgrade: a line says which order of fields it has.
const version = 1;

/** A visit as one line of the journal. */
export function toLine(visit: Visit): string {
  return `${JSON.stringify([
    version,
    visit.urlId,
    visit.visitedAt,
    visit.isByCode ? 1 : 0,
    visit.kind,
    visit.reason,
    visit.country,
    visit.deviceType,
    visit.browser,
    visit.os,
    visit.referrerDomain,
    visit.referrerType,
    visit.visitorKey,
    visit.addressKey,
    visit.scannerApp,
    evidenceOf(visit),
  ])}\n`;
}

type Cells = [
  version: number,
  urlId: number,
  visitedAt: number,
  isByCode: number,
  kind: Visit['kind'],
  reason: Visit['reason'],
  country: string,
  deviceType: Visit['deviceType'],
  browser: string,
  os: string,
  referrerDomain: string,
  referrerType: Visit['referrerType'],
  visitorKey: string | null,
  addressKey: string,
  scannerApp: string | null,
  evidence: number,
];

/** The visit that a line of the journal tells of. */
export function fromLine(line: string): Visit {
  const cells = JSON.parse(line) as Cells;
  if (cells[0] !== version) throw new Error(`a journal of version ${cells[0]} cannot be read`);
  return {
    urlId: cells[1],
    visitedAt: cells[2],
    isByCode: cells[3] === 1,
    kind: cells[4],
    reason: cells[5],
    country: cells[6],
    deviceType: cells[7],
    browser: cells[8],
    os: cells[9],
    referrerDomain: cells[10],
    referrerType: cells[11],
    visitorKey: cells[12],
    addressKey: cells[13],
    scannerApp: cells[14],
    ...fromEvidence(cells[15]),
  };
}
