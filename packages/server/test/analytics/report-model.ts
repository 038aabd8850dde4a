import type { Visit } from '../../src/analytics/journal/journal-lines.js';

/**
 * An independent model of reports: slow, simple, and without code of the server. It formats each
 * instant in the time zone, and counts visits one by one.
 */

export interface ModelVisit extends Visit {
  /** The visit is not stored any more, and nothing counts it. */
  isDeleted?: boolean;
}

const utmFields = ['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'] as const;

/** Returns the values of a visit that a report shows. */
function shown({ urlId, variant, facts }: ModelVisit) {
  const known = (value: string | null) => value ?? 'Unknown';
  const utm = utmFields.map((field) => [field, facts.campaign?.[field]?.toLowerCase() ?? '(none)']);
  const city = known(facts.city);
  return {
    id: String(urlId),
    country: facts.country,
    region: known(facts.region),
    city,
    // The place of an unknown city is unknown, too.
    regionOfCity: city === 'Unknown' ? city : known(facts.region),
    countryOfCity: city === 'Unknown' ? city : facts.country,
    device: facts.deviceType,
    browser: facts.browser,
    os: facts.os,
    referrerType: facts.referrerType,
    referrer: facts.referrerDomain,
    language: known(facts.language),
    variant: variant ?? '(default)',
    ...Object.fromEntries(utm),
  };
}

export interface ModelUrl {
  readonly id: string;
  readonly shortCode: string;
  readonly shortUrl: string;
  readonly hasSlug: boolean;
  readonly tags: readonly string[];
}

export interface ModelQr {
  readonly id: string;
  readonly urlId: string;
  readonly from: number;
  readonly until: number;
}

export interface ModelQuery {
  readonly since: number;
  readonly until: number;
  /** When the link, the QR code or the organization was created. A long series begins then. */
  readonly seriesFrom: number;
  /** Earlier visits may be deleted: no count and no bucket has them. 0: none are. */
  readonly retainedFrom: number;
  /** When periods of visitor keys begin. */
  readonly groupBy: 'hour' | 'day';
  readonly timezone: string;
  readonly limit: number;
  /** The values of each filter for visits. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
}

interface ModelScan {
  readonly scanMethod: string;
  readonly app: string;
  readonly isProven: boolean;
}

type Counted = ModelVisit & Partial<ModelScan>;
type Shown = Counted & Readonly<Record<string, unknown>>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
// All offsets from UTC, and all changes of clocks, are multiples of it.
const tickMs = hourMs / 4;

/** `2030-03-31 02:15`, the time on the clocks of a zone. */
export function clockTime(timezone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (at) => format.format(at);
}

/** Returns the first instant at which the clocks show a date. */
export function startOfDate(timezone: string, date: string): number {
  const show = clockTime(timezone);
  let at = Date.parse(date) - 2 * dayMs;
  while (show(at).slice(0, 10) < date) at += tickMs;
  return at;
}

/** Returns the instant with the offset of its zone, as reports format it. */
export function named(timezone: string, at: number): string {
  const shown = clockTime(timezone)(at).replace(' ', 'T');
  const minutes = (Date.parse(`${shown}Z`) - Math.floor(at / 60_000) * 60_000) / 60_000;
  if (minutes === 0) return new Date(at).toISOString();
  const size = Math.abs(minutes);
  const pad = (number: number) => String(number).padStart(2, '0');
  const zone = `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
  return `${shown}${new Date(at).toISOString().slice(16, 23)}${zone}`;
}

/** Returns the starts of the buckets, by looking at the clocks each quarter of an hour. */
function bucketStarts(query: ModelQuery): number[] {
  const { since, until, seriesFrom, retainedFrom, groupBy, timezone } = query;
  const show = clockTime(timezone);
  const length = groupBy === 'hour' ? 'YYYY-MM-DD HH'.length : 'YYYY-MM-DD'.length;
  const bucketMs = groupBy === 'hour' ? hourMs : dayMs;
  const isWhole = until - since <= 1_000 * bucketMs;
  const first = Math.max(since, isWhole ? 0 : seriesFrom, retainedFrom);
  const starts: number[] = [];
  let last = '';
  for (let at = Math.floor((first - 2 * dayMs) / tickMs) * tickMs; at < until; at += tickMs) {
    const time = show(at);
    const unit = time.slice(0, length);
    const isFullHour = groupBy === 'hour' && time.endsWith(':00');
    if (unit > last || isFullHour) {
      if (at <= first) starts.length = 0;
      starts.push(at);
    }
    last = unit > last || groupBy === 'hour' ? unit : last;
  }
  return first < until ? starts : [];
}

/** How a visit by short code was scanned; undefined if it is not a scan. */
function scanOf({ facts }: ModelVisit, hasSlug: boolean): ModelScan | undefined {
  const { deviceType, scannerApp, os, evidence } = facts;
  const [isDedicated, isInApp, hasReferrer, isImageSearch, isOwnNavigation] = [1, 2, 4, 8, 16].map(
    (flag) => (evidence & flag) !== 0,
  );
  const isHandheld = deviceType === 'mobile' || deviceType === 'tablet';
  const isProven = hasSlug || isDedicated === true || isImageSearch === true;
  // In an app that reads no QR codes, people tap links.
  const isTap = isInApp && !scannerApp;
  const isPlausible = isHandheld && !hasReferrer && isOwnNavigation && !isTap;
  if (!isProven && !isPlausible) return undefined;
  if (scannerApp) return { scanMethod: 'app_scanner', app: scannerApp, isProven };
  if (isImageSearch) return { scanMethod: 'file_upload', app: '(none)', isProven };
  if (deviceType === 'desktop' && !hasReferrer) {
    return { scanMethod: 'manual_entry', app: '(none)', isProven };
  }
  const phone = os === 'iOS' || os === 'Android' ? `${os} ` : '';
  return { scanMethod: 'camera', app: `${phone}Camera`, isProven };
}

/** Whether the visit is a click of a link. */
const isClickOf = ({ urlId, facts }: ModelVisit, { id }: ModelUrl) =>
  String(urlId) === id && facts.kind === 'human';

/** Returns the visits that are scans of one of these QR codes, with method and app. */
function scansOf(
  visits: readonly ModelVisit[],
  urls: readonly ModelUrl[],
  qrs: readonly ModelQr[],
) {
  return visits.flatMap((visit): Counted[] => {
    const url = urls.find((each) => isClickOf(visit, each));
    const isAlive = qrs.some(
      ({ urlId, from, until }) =>
        urlId === url?.id && from <= visit.visitedAt && visit.visitedAt < until,
    );
    const scan = url && isAlive && visit.isByCode ? scanOf(visit, url.hasSlug) : undefined;
    return scan ? [{ ...visit, ...scan }] : [];
  });
}

/** Counts the scans that are proven, and those that are not. */
function certaintyOf(scans: readonly Counted[]) {
  const provenScans = scans.filter(({ isProven }) => isProven).length;
  return { provenScans, inferredScans: scans.length - provenScans };
}

function distinct(values: readonly (string | null)[]): number {
  return new Set(values.filter((value) => value !== null)).size;
}

function report(
  visits: readonly Counted[],
  query: ModelQuery,
  noun: 'Clicks' | 'Scans',
  breakdowns: Readonly<Record<string, readonly (readonly [field: string, of: string])[]>>,
) {
  const all: readonly Shown[] = visits.map((visit) => ({ ...visit, ...shown(visit) }));
  const { since, until, timezone, limit, filters } = query;
  const field = noun.toLowerCase();
  // Reports of clicks do not say which of them are proven scans.
  const certainty = (visits: readonly Counted[]) => (noun === 'Scans' ? certaintyOf(visits) : {});
  const fieldOf: Readonly<Record<string, string>> = { scannerApp: 'app' };
  const matches = (visit: Shown) =>
    Object.entries(filters).every(([name, values]) => {
      const value = String(visit[fieldOf[name] ?? name]).toLowerCase();
      return values.some((each) => each.toLowerCase() === value);
    });
  const from = Math.max(since, query.retainedFrom);
  const counted = all.filter(
    (visit) => visit.visitedAt >= from && visit.visitedAt < until && matches(visit),
  );

  const starts = bucketStarts(query);
  const bucketAt = (at: number) => starts.findLast((start) => start <= at) ?? starts[0];
  const entries = (fields: readonly (readonly [string, string])[]) => {
    const groups = new Map<string, Shown[]>();
    for (const visit of counted) {
      const text = fields.map(([, of]) => visit[of]).join('\t');
      groups.set(text, [...(groups.get(text) ?? []), visit]);
    }
    return [...groups]
      .sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([text, visits]) => {
        const values = text.split('\t');
        const shownFields = fields.map(([name], index) => [name, values[index]]);
        const entry = Object.fromEntries(shownFields);
        const label = entry.referrerDomain ?? values[0];
        const count = visits.length;
        return { ...entry, label, [field]: count, count, ...certainty(visits) };
      });
  };
  const totals: Readonly<Record<string, number>> = {
    [`total${noun}`]: counted.length,
    [`unique${noun}`]: distinct(counted.map(({ facts }) => facts.visitorKey)),
    uniqueIps: distinct(counted.map(({ facts }) => facts.addressKey)),
    ...certainty(counted),
  };
  return {
    since: named(timezone, since),
    until: named(timezone, until),
    timezone,
    retainedSince: query.retainedFrom === 0 ? null : new Date(query.retainedFrom).toISOString(),
    totals,
    breakdowns: Object.fromEntries(
      Object.entries(breakdowns).map(([name, fields]) => [name, entries(fields)]),
    ),
    timeseries: starts.map((start) => {
      const own = counted.filter(({ visitedAt }) => bucketAt(visitedAt) === start);
      return {
        bucket: named(timezone, start),
        [field]: own.length,
        uniques: distinct(own.map(({ facts }) => facts.visitorKey)),
        ...certainty(own),
      };
    }),
  };
}

const common = {
  country: [['country', 'country']],
  device: [['deviceType', 'device']],
  browser: [['browser', 'browser']],
} as const;
const ofClicks = {
  ...common,
  region: [['region', 'region']],
  city: [
    ['city', 'city'],
    ['region', 'regionOfCity'],
    ['country', 'countryOfCity'],
  ],
  os: [['os', 'os']],
  referrer: [
    ['referrerType', 'referrerType'],
    ['referrerDomain', 'referrer'],
  ],
  language: [['language', 'language']],
  utmSource: [['utmSource', 'utmSource']],
  utmMedium: [['utmMedium', 'utmMedium']],
  utmCampaign: [['utmCampaign', 'utmCampaign']],
  utmTerm: [['utmTerm', 'utmTerm']],
  utmContent: [['utmContent', 'utmContent']],
  variant: [['variant', 'variant']],
} as const;
const ofScans = {
  ...common,
  scanMethod: [['scanMethod', 'scanMethod']],
  scannerApp: [['scannerApp', 'app']],
} as const;

export function clicksModel(visits: readonly ModelVisit[], url: ModelUrl, query: ModelQuery) {
  const clicks = visits.filter((visit) => isClickOf(visit, url));
  const found = report(clicks, query, 'Clicks', ofClicks);
  const createdAt = new Date(query.seriesFrom).toISOString();
  return { urlId: url.id, shortCode: url.shortCode, createdAt, importedClicks: 0, ...found };
}

export function scansModel(
  visits: readonly ModelVisit[],
  urls: readonly ModelUrl[],
  qr: ModelQr,
  query: ModelQuery,
) {
  const found = report(scansOf(visits, urls, [qr]), query, 'Scans', ofScans);
  const createdAt = new Date(query.seriesFrom).toISOString();
  return { qrCodeId: qr.id, urlId: qr.urlId, createdAt, ...found };
}

export function overviewModel(
  visits: readonly ModelVisit[],
  urls: readonly ModelUrl[],
  qrs: readonly ModelQr[],
  query: ModelQuery,
  { tag, urlId }: Readonly<Partial<Record<'tag' | 'urlId', readonly string[] | undefined>>>,
) {
  const selected = urls.filter(
    ({ id, tags }) =>
      (!tag || tag.some((each) => tags.includes(each))) && (!urlId || urlId.includes(id)),
  );
  const clicks = visits.filter((visit) => selected.some((url) => isClickOf(visit, url)));
  const found = report(clicks, query, 'Clicks', ofClicks);
  // With the largest limit, the breakdown by id has all links. Those with equal counts are in order.
  const byId = report(clicks, { ...query, limit: 1_000 }, 'Clicks', { id: [['id', 'id']] });
  const scans = report(scansOf(clicks, selected, qrs), query, 'Scans', ofScans);
  const { totalScans, provenScans, inferredScans } = scans.totals;
  const rows = byId.breakdowns.id ?? [];
  return {
    importedClicks: 0,
    ...found,
    totals: {
      ...found.totals,
      totalUrls: selected.length,
      activeUrls: selected.length,
      totalQrs: qrs.filter(
        ({ urlId: of, until }) => until > 1e15 && selected.some(({ id }) => id === of),
      ).length,
      totalScans,
      provenScans,
      inferredScans,
    },
    topUrls: rows
      .map(({ id, clicks: count }: { id: string; clicks: number }) => ({ id, count }))
      .sort((a, b) => b.count - a.count || Number(a.id) - Number(b.id))
      .slice(0, query.limit)
      .map(({ id, count }) => {
        const url = urls.find((each) => each.id === id);
        return { urlId: id, shortCode: url?.shortCode, shortUrl: url?.shortUrl, clicks: count };
      }),
  };
}
