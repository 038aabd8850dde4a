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
// The known fields in the order in which `toText` writes them, so that most lines need no look-up of names.
const fieldNames = [...fieldNames1, 'language', 'region', 'city', ...utmFields, 'variant'] as const;
type FieldName = (typeof fieldNames)[number];
const indexOfField = new Map<string, number>(fieldNames.map((name, index) => [name, index]));

/** Formats a visit as a line of the journal. */
export function toLine(visit: Visit): string {
  return toFrame(toText(visit));
}

/** Formats a visit as the text of a line. Its values have no tabs and no line breaks. */
function toText({ urlId, visitedAt, isByCode, facts, variant }: Visit): string {
  // Most visits have no campaign. Leaving out other empty values takes longer than writing them.
  const campaign = facts.campaign === null ? '' : toCells(facts.campaign);
  // Databases of countries find neither regions nor cities.
  const region = facts.region === null ? '' : `\tregion=${facts.region}`;
  const city = facts.city === null ? '' : `\tcity=${facts.city}`;
  // Most links have no rules.
  const chosen = variant === null ? '' : `\tvariant=${variant}`;
  return `${version}\turlId=${urlId}\tvisitedAt=${visitedAt}\tbyCode=${isByCode ? 1 : 0}\tkind=${facts.kind}\treason=${facts.reason}\tcountry=${facts.country}\tdeviceType=${facts.deviceType}\tbrowser=${facts.browser}\tos=${facts.os}\treferrerDomain=${facts.referrerDomain}\treferrerType=${facts.referrerType}\tvisitorKey=${facts.visitorKey ?? ''}\taddressKey=${facts.addressKey}\tscannerApp=${facts.scannerApp ?? ''}\tevidence=${facts.evidence}\tlanguage=${facts.language ?? ''}${region}${city}${campaign}${chosen}`;
}

function toCells(campaign: Campaign): string {
  let cells = '';
  for (const field of utmFields) {
    const value = campaign[field];
    if (value !== undefined) cells += `\t${field}=${value}`;
  }
  return cells;
}

/** The values of the fields of a visit, without empty ones. */
interface ParsedFields {
  /** The values of the known fields, by their indexes. */
  readonly known: readonly (string | undefined)[];
  /** The values of the other fields, by their names. Undefined when there are none. */
  readonly others: ReadonlyMap<string, string> | undefined;
}

/**
 * Parses the text of a visit. Returns undefined when it has another version, or lacks a field that
 * decides whether and for what it counts.
 */
function toVisit(text: string): Visit | undefined {
  const fields = parseFields(text);
  if (!fields) return undefined;
  const { known, others } = fields;
  const read = (name: FieldName, byDefault = ''): string =>
    known[indexOfField.get(name) as number] ?? byDefault;
  const urlId = Number(read('urlId', 'missing'));
  const visitedAt = Number(read('visitedAt', 'missing'));
  const evidence = Number(read('evidence', '0'));
  const kind = read('kind');
  if (![urlId, visitedAt, evidence].every(Number.isSafeInteger) || kind === '') return undefined;
  const visit: { -readonly [Name in keyof Visit]: Visit[Name] } = {
    urlId,
    visitedAt,
    isByCode: read('byCode') === '1',
    facts: {
      kind: kind as VisitFacts['kind'],
      reason: read('reason') as VisitFacts['reason'],
      country: read('country', 'Unknown'),
      region: read('region') || null,
      city: read('city') || null,
      deviceType: read('deviceType', 'other') as VisitFacts['deviceType'],
      browser: read('browser', 'Unknown'),
      os: read('os', 'Unknown'),
      referrerDomain: read('referrerDomain', '(direct)'),
      referrerType: read('referrerType', 'direct') as VisitFacts['referrerType'],
      visitorKey: read('visitorKey') || null,
      addressKey: read('addressKey', noKey),
      scannerApp: read('scannerApp') || null,
      evidence,
      language: read('language') || null,
      campaign: campaignOf(read),
    },
    variant: read('variant') || null,
  };
  // Copying that many properties is slow.
  if (others) visit.otherFields = others;
  return visit;
}

/** Is not counted among distinct addresses. */
const noKey = '0'.repeat(16);

function campaignOf(read: (name: FieldName) => string): Campaign | null {
  let campaign: Record<string, string> | null = null;
  for (const field of utmFields) {
    const value = read(field);
    if (value === '') continue;
    campaign ??= {};
    campaign[field] = value;
  }
  return campaign;
}

/** Returns the fields of a visit, or undefined when its form is unknown. */
function parseFields(text: string): ParsedFields | undefined {
  if (text.startsWith(version1 + separator)) return parseFields1(text.split(separator).slice(1));
  if (!text.startsWith(version + separator)) return undefined;
  const known: (string | undefined)[] = new Array(fieldNames.length).fill(undefined);
  let others: Map<string, string> | undefined;
  /** The index of the field after the last known one. */
  let expected = 0;
  for (let start = version.length + separator.length; start <= text.length; ) {
    const tab = text.indexOf(separator, start);
    const end = tab < 0 ? text.length : tab;
    const name = fieldNames[expected];
    if (name !== undefined && text.startsWith(name, start) && text[start + name.length] === '=') {
      start += name.length + 1;
      if (start < end) known[expected] = text.slice(start, end);
      expected += 1;
    } else {
      const equals = text.indexOf('=', start);
      if (equals < 0 || equals >= end) return undefined;
      const other = text.slice(start, equals);
      if (!fieldName.test(other)) return undefined;
      const index = indexOfField.get(other);
      if (index !== undefined) expected = index + 1;
      if (equals + 1 < end) {
        const value = text.slice(equals + 1, end);
        if (index !== undefined) known[index] = value;
        else {
          others ??= new Map();
          others.set(other, value);
        }
      }
    }
    start = end + separator.length;
  }
  return { known, others };
}

function parseFields1(cells: readonly string[]): ParsedFields | undefined {
  if (cells.length !== fieldNames1.length) return undefined;
  return { known: cells.map((cell) => (cell === '' ? undefined : cell)), others: undefined };
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
