import { utmFields } from '../../contract/utm-parameters.js';
import { UsageTally } from '../../organizations/usage-meters.js';
import type { VisitFacts } from '../classify/describe-visit.js';
import type { Campaign } from '../classify/parse-campaign.js';
import { toFrame } from './journal-frames.js';

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
  /** True when its click was taken from a lease, because the link has a limit of clicks. */
  readonly isLeased?: boolean;
  /** The fields that this version does not know, by their names. They are stored, too. */
  readonly otherFields?: ReadonlyMap<string, string>;
}

// The version of the form of a visit. A server may read a journal that another release wrote.
// Version 2 has the fields `name=value`, which are separated by tabs, in any order. An empty value is
// like a missing field. A new field needs no new version.
const version = '2';
const separator = '\t';
const fieldName = /^[a-z][A-Za-z]*$/;
// Version 1 has these values in a fixed order.
const version1 = '1';
const fieldNames1 = [
  'urlId',
  'visitedAt',
  'byCode',
  'kind',
  'reason',
  'country',
  'deviceType',
  'browser',
  'os',
  'referrerDomain',
  'referrerType',
  'visitorKey',
  'addressKey',
  'scannerApp',
  'evidence',
] as const;

/** Formats a visit as a line of the journal. */
export function toLine(visit: Visit): string {
  return toFrame(toText(visit));
}

/** Formats a visit as the text of a line. Its values have no tabs and no line breaks. */
function toText({ urlId, visitedAt, isByCode, facts, variant, isLeased }: Visit): string {
  // Most visits have no campaign. Leaving out other empty values takes longer than writing them.
  const campaign = facts.campaign === null ? '' : toCells(facts.campaign);
  // Databases of countries find neither regions nor cities.
  const region = facts.region === null ? '' : `\tregion=${facts.region}`;
  const city = facts.city === null ? '' : `\tcity=${facts.city}`;
  const leased = isLeased === true ? '\tleased=1' : '';
  // Most links have no rules.
  const chosen = variant === null ? '' : `\tvariant=${variant}`;
  return `${version}\turlId=${urlId}\tvisitedAt=${visitedAt}\tbyCode=${isByCode ? 1 : 0}\tkind=${facts.kind}\treason=${facts.reason}\tcountry=${facts.country}\tdeviceType=${facts.deviceType}\tbrowser=${facts.browser}\tos=${facts.os}\treferrerDomain=${facts.referrerDomain}\treferrerType=${facts.referrerType}\tvisitorKey=${facts.visitorKey ?? ''}\taddressKey=${facts.addressKey}\tscannerApp=${facts.scannerApp ?? ''}\tevidence=${facts.evidence}\tlanguage=${facts.language ?? ''}${region}${city}${campaign}${chosen}${leased}`;
}

function toCells(campaign: Campaign): string {
  let cells = '';
  for (const field of utmFields) {
    const value = campaign[field];
    if (value !== undefined) cells += `\t${field}=${value}`;
  }
  return cells;
}

/**
 * Parses the text of a visit. Returns undefined when it has another version, or lacks a field that
 * decides whether and for what it counts.
 */
function toVisit(text: string): Visit | undefined {
  const fields = parseFields(text.split(separator));
  if (!fields) return undefined;
  const take = (name: string, byDefault = ''): string => {
    const value = fields.get(name) ?? byDefault;
    fields.delete(name);
    return value;
  };
  const urlId = Number(take('urlId', 'missing'));
  const visitedAt = Number(take('visitedAt', 'missing'));
  const evidence = Number(take('evidence', '0'));
  const kind = take('kind');
  const isLeased = take('leased') === '1';
  if (![urlId, visitedAt, evidence].every(Number.isSafeInteger) || kind === '') return undefined;
  return {
    urlId,
    visitedAt,
    isByCode: take('byCode') === '1',
    facts: {
      kind: kind as VisitFacts['kind'],
      reason: take('reason') as VisitFacts['reason'],
      country: take('country', 'Unknown'),
      region: take('region') || null,
      city: take('city') || null,
      deviceType: take('deviceType', 'other') as VisitFacts['deviceType'],
      browser: take('browser', 'Unknown'),
      os: take('os', 'Unknown'),
      referrerDomain: take('referrerDomain', '(direct)'),
      referrerType: take('referrerType', 'direct') as VisitFacts['referrerType'],
      visitorKey: take('visitorKey') || null,
      addressKey: take('addressKey', noKey),
      scannerApp: take('scannerApp') || null,
      evidence,
      language: take('language') || null,
      campaign: takeCampaign(take),
    },
    variant: take('variant') || null,
    ...(isLeased && { isLeased }),
    ...(fields.size > 0 && { otherFields: fields }),
  };
}

/** Is not counted among distinct addresses. */
const noKey = '0'.repeat(16);

function takeCampaign(take: (name: string) => string): Campaign | null {
  const values = utmFields.map((field) => [field, take(field)] as const);
  const present = values.filter(([, value]) => value !== '');
  return present.length === 0 ? null : Object.fromEntries(present);
}

/** Returns the values by the names of their fields, without empty ones. */
function parseFields([first, ...cells]: readonly string[]): Map<string, string> | undefined {
  const fields = new Map<string, string>();
  if (first === version1) {
    if (cells.length !== fieldNames1.length) return undefined;
    for (const [at, name] of fieldNames1.entries()) {
      const value = cells[at] as string;
      if (value !== '') fields.set(name, value);
    }
    return fields;
  }
  if (first !== version) return undefined;
  for (const cell of cells) {
    const equals = cell.indexOf('=');
    const name = cell.slice(0, equals);
    if (equals < 0 || !fieldName.test(name)) return undefined;
    const value = cell.slice(equals + 1);
    if (value !== '') fields.set(name, value);
  }
  return fields;
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
  /** The text of each visit. */
  const visitTexts: string[] = [];
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
      if (visit) {
        visits.push(visit);
        visitTexts.push(text);
      } else unknown.push(text);
    }
  }
  return { visits: visits as readonly Visit[], visitTexts, downloads, calls, unknown };
}
