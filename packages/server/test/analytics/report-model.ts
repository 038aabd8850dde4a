/**
 * An independent model of reports: slow, simple, and without code of the server. It formats each
 * instant in the time zone, and counts visits one by one.
 */

export interface ModelVisit {
  readonly urlId: string;
  readonly at: number;
  readonly isHuman: boolean;
  readonly isByCode: boolean;
  readonly visitor: string | null;
  readonly address: string;
  readonly country: string;
  readonly region: string | null;
  readonly city: string | null;
  readonly device: string;
  readonly browser: string;
  readonly os: string;
  readonly referrerType: string;
  readonly referrer: string;
  readonly language: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly utmTerm: string | null;
  readonly utmContent: string | null;
  readonly variant: string | null;
  readonly scannerApp: string | null;
  readonly isDedicatedScanner: boolean;
  readonly isInApp: boolean;
  readonly hasReferrer: boolean;
  readonly isImageSearch: boolean;
  readonly isOwnNavigation: boolean;
  /** The visit is not stored any more, and nothing counts it. */
  isDeleted?: boolean;
}

interface ShownVisit extends ModelVisit {
  readonly regionOfCity: string;
  readonly countryOfCity: string;
}

const utmFields = ['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'] as const;

/** A visit with the values that a report shows. */
function shown(visit: ModelVisit): ShownVisit {
  const shownUtm = utmFields.map((field) => {
    const value = visit[field];
    return [field, value === null ? '(none)' : value.toLowerCase()];
  });
  const known = (value: string | null) => value ?? 'Unknown';
  const city = known(visit.city);
  return {
    ...visit,
    language: known(visit.language),
    variant: visit.variant ?? '(default)',
    region: known(visit.region),
    city,
    // The place of an unknown city is unknown, too.
    regionOfCity: city === 'Unknown' ? city : known(visit.region),
    countryOfCity: city === 'Unknown' ? city : visit.country,
    ...Object.fromEntries(shownUtm),
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
type Shown = ShownVisit & Partial<ModelScan>;

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
function scanOf(visit: ModelVisit, hasSlug: boolean): ModelScan | undefined {
  const isHandheld = visit.device === 'mobile' || visit.device === 'tablet';
  const isProven = hasSlug || visit.isDedicatedScanner || visit.isImageSearch;
  // In an app that reads no QR codes, people tap links.
  const isTap = visit.isInApp && !visit.scannerApp;
  const isPlausible = isHandheld && !visit.hasReferrer && visit.isOwnNavigation && !isTap;
  if (!isProven && !isPlausible) return undefined;
  if (visit.scannerApp) return { scanMethod: 'app_scanner', app: visit.scannerApp, isProven };
  if (visit.isImageSearch) return { scanMethod: 'file_upload', app: '(none)', isProven };
  if (visit.device === 'desktop' && !visit.hasReferrer) {
    return { scanMethod: 'manual_entry', app: '(none)', isProven };
  }
  const phone = visit.os === 'iOS' || visit.os === 'Android' ? `${visit.os} ` : '';
  return { scanMethod: 'camera', app: `${phone}Camera`, isProven };
}

/** Returns the visits that are scans of one of these QR codes, with method and app. */
function scansOf(
  visits: readonly ModelVisit[],
  urls: readonly ModelUrl[],
  qrs: readonly ModelQr[],
) {
  return visits.flatMap((visit): Counted[] => {
    const url = urls.find(({ id }) => id === visit.urlId);
    const isAlive = qrs.some(
      ({ urlId, from, until }) => urlId === visit.urlId && from <= visit.at && visit.at < until,
    );
    if (!url || !isAlive || !visit.isByCode || !visit.isHuman) return [];
    const scan = scanOf(visit, url.hasSlug);
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
  breakdowns: Readonly<Record<string, readonly (readonly [field: string, of: keyof Shown])[]>>,
) {
  const all: readonly Shown[] = visits.map((visit) => ({ ...visit, ...shown(visit) }));
  const { since, until, timezone, limit, filters } = query;
  const field = noun.toLowerCase();
  // Reports of clicks do not say which of them are proven scans.
  const certainty = (visits: readonly Counted[]) => (noun === 'Scans' ? certaintyOf(visits) : {});
  const fieldOf: Readonly<Record<string, keyof Shown>> = { scannerApp: 'app' };
  const matches = (visit: Shown) =>
    Object.entries(filters).every(([name, values]) => {
      const value = String(visit[fieldOf[name] ?? (name as keyof Shown)]).toLowerCase();
      return values.some((each) => each.toLowerCase() === value);
    });
  const from = Math.max(since, query.retainedFrom);
  const counted = all.filter((visit) => visit.at >= from && visit.at < until && matches(visit));

  const starts = bucketStarts(query);
  const bucketAt = (at: number) => starts.findLast((start) => start <= at) ?? starts[0];
  const entries = (fields: readonly (readonly [string, keyof Shown])[]) => {
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
    [`unique${noun}`]: distinct(counted.map(({ visitor }) => visitor)),
    uniqueIps: distinct(counted.map(({ address }) => address)),
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
      const own = counted.filter(({ at }) => bucketAt(at) === start);
      return {
        bucket: named(timezone, start),
        [field]: own.length,
        uniques: distinct(own.map(({ visitor }) => visitor)),
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
  const clicks = visits.filter(({ urlId, isHuman }) => urlId === url.id && isHuman);
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
  {
    tag,
    urlId,
  }: {
    readonly tag?: readonly string[] | undefined;
    readonly urlId?: readonly string[] | undefined;
  },
) {
  const selected = urls.filter(
    ({ id, tags }) =>
      (!tag || tag.some((each) => tags.includes(each))) && (!urlId || urlId.includes(id)),
  );
  const isSelected = (visit: ModelVisit) => selected.some(({ id }) => id === visit.urlId);
  const clicks = visits.filter((visit) => visit.isHuman && isSelected(visit));
  const found = report(clicks, query, 'Clicks', ofClicks);
  // With the largest limit, the breakdown by id has all links. Those with equal counts are in order.
  const byId = report(clicks, { ...query, limit: 1_000 }, 'Clicks', { id: [['id', 'urlId']] });
  const scans = report(scansOf(visits.filter(isSelected), selected, qrs), query, 'Scans', ofScans);
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
