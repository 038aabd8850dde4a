import type {
  AnalyticsOverview,
  ClickBreakdowns,
  ClickBucket,
  QrScans,
  UrlClicks,
  UrlRecord,
} from '@shorty/sdk';
import { formatInstant, formatNumber } from './format.js';

/** The values of filters by their names in the API, as the user wrote them. */
export type ReportFilters = Readonly<Record<string, string | readonly string[]>>;

/** The content of a report in any format, in display order. */
export interface Report {
  readonly title: string;
  /** Instants, as the API sent them. The window excludes `until`. */
  readonly since: string;
  readonly until: string;
  readonly groupBy: GroupBy;
  readonly totalClicks: number;
  /** The first two are the clicks or scans, and their unique visitors. */
  readonly totals: readonly Total[];
  readonly series: readonly Bucket[];
  readonly sections: readonly Section[];
  /** The window of the same length before this one; undefined when it was not read. */
  readonly before: Window | undefined;
  /** Notes about the counts, as sentences without a full stop. */
  readonly notes?: readonly string[];
  /** What selects the visits. */
  readonly filters?: ReportFilters;
}

export interface Bucket extends ClickBucket {
  /** Whether the window contains only a part of it. */
  readonly isPartial: boolean;
}

export type GroupBy = 'hour' | 'day';

export interface Total {
  /** The field name in the API. */
  readonly name: string;
  readonly label: string;
  readonly count: number;
  /** The count in the window before; undefined when it has none. */
  readonly before?: number | undefined;
}

export interface Section {
  /** Such as `country` or `utm-source`. */
  readonly name: string;
  readonly title: string;
  readonly rows: readonly SectionRow[];
}

export interface SectionRow {
  readonly name: string;
  /** The display name. */
  readonly label: string;
  /** Additional information: the type of a referrer, the id of a link. */
  readonly detail: string;
  /** The title of a link. */
  readonly title?: string | undefined;
  readonly clicks: number;
}

/** How people name a link. */
export type LinkNames = Pick<UrlRecord, 'title' | 'customSlug'>;

/** What a report shows beside the response. */
export interface ReportExtras<Data> {
  /** The response for the window before. */
  readonly before?: Data | undefined;
  /** The titles and slugs of links by their id. */
  readonly links?: ReadonlyMap<string, LinkNames>;
  readonly filters?: ReportFilters | undefined;
}

/** Returns `no clicks in this window`, or scans. */
export function nothingCounted({ totals }: Report): string {
  return `no ${totals[0]?.label} in this window`;
}

/** Returns the label of a total, such as `clicks`, or `click` for one. */
export function labelOf({ label, count }: Pick<Total, 'label' | 'count'>): string {
  if (count !== 1) return label;
  return label === 'addresses' ? 'address' : label.slice(0, -1);
}

export function linkReport(
  data: UrlClicks,
  groupBy: GroupBy,
  extras: ReportExtras<UrlClicks> = {},
): Report {
  const { title, customSlug } = extras.links?.get(data.urlId) ?? {};
  const name = customSlug ?? data.shortCode;
  return createReport(data, groupBy, extras, {
    title: `Clicks of link ${name} (id ${data.urlId})${title ? `: ${title}` : ''}`,
    totals: [...totalsOf(clickLabels, data.totals, extras.before?.totals), ...importedTotals(data)],
  });
}

export function overviewReport(
  data: AnalyticsOverview,
  groupBy: GroupBy,
  extras: ReportExtras<AnalyticsOverview> = {},
): Report {
  const { totals, topUrls } = data;
  const before = extras.before?.totals;
  const rows = topUrls.map(({ urlId, shortUrl, clicks }) => ({
    ...{ name: shortUrl, label: shortUrl.replace(/^https?:\/\//, ''), detail: urlId, clicks },
    title: extras.links?.get(urlId)?.title ?? undefined,
  }));
  return createReport(data, groupBy, extras, {
    title: `Clicks of ${linksOf(extras.filters ?? {})}`,
    totals: [
      ...totalsOf(clickLabels, totals, before),
      ...importedTotals(data),
      ...totalsOf({ totalUrls: 'links', activeUrls: 'active links', totalQrs: 'QR codes' }, totals),
      ...totalsOf({ totalScans: 'scans', ...certaintyLabels }, totals, before),
    ],
    first: [{ name: 'top-url', title: 'Top links', rows }],
  });
}

export function scanReport(
  data: QrScans,
  groupBy: GroupBy,
  extras: ReportExtras<QrScans> = {},
): Report {
  const labels = { totalScans: 'scans', uniqueScans: 'unique visitors', uniqueIps: 'addresses' };
  const timeseries = data.timeseries.map(({ scans, ...bucket }) => ({ ...bucket, clicks: scans }));
  return createReport({ ...data, timeseries }, groupBy, extras, {
    title: `Scans of QR code ${data.qrCodeId}`,
    totals: totalsOf({ ...labels, ...certaintyLabels }, data.totals, extras.before?.totals),
  });
}

/** What the responses of all reports have. */
interface Counted extends Window, Pick<UrlClicks, 'retainedSince' | 'timeseries'> {
  readonly totals: Partial<QrScans['totals']>;
  readonly breakdowns: ClickBreakdowns | QrScans['breakdowns'];
}

function createReport(
  data: Counted,
  groupBy: GroupBy,
  { before, filters = {} }: ReportExtras<Window>,
  { title, totals, first = [] }: Pick<Report, 'title' | 'totals'> & { first?: Section[] },
): Report {
  const { since, until } = data;
  const totalClicks = totals[0]?.count ?? 0;
  const sections = [...first, ...sectionsOf(data.breakdowns)];
  return {
    ...{ since, until, before, groupBy, filters, totals, totalClicks },
    title: `${title}${visitsOf(filters)}`,
    series: bucketsOf(data.timeseries, data, groupBy),
    sections: sections.map((section) => withOthers(section, totalClicks)),
    notes: notesOf(data, before ?? data),
  };
}

/** Returns what filters select of all links: `links tagged flyer on go.example.com`. */
function linksOf({ link, tag, domainId }: ReportFilters): string {
  if (!link && !tag && !domainId) return 'all links';
  const names = link ? ` ${[link].flat().join(', ')}` : '';
  // A comma in a tag would end it.
  const tags = [tag ?? []].flat().map((each) => (each.includes(',') ? `"${each}"` : each));
  const tagged = tag ? ` tagged ${tags.join(' or ')}` : '';
  return `links${names}${tagged}${domainId ? ` on ${[domainId].flat().join(' or ')}` : ''}`;
}

/** Returns what filters select of the visits: `, Germany or Austria, mobile`. */
function visitsOf(filters: ReportFilters): string {
  const parts = Object.entries(filters).flatMap(([name, values]) => {
    if (['link', 'tag', 'domainId'].includes(name)) return [];
    const label = breakdowns[name]?.label ?? String;
    const shown = [values].flat().map(label).join(' or ');
    return /^(country|device|language|city|os|browser)$/.test(name)
      ? shown
      : `${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${shown}`;
  });
  return parts.map((part) => `, ${part}`).join('');
}

/** Adds a row for the clicks of names that the response does not list. */
function withOthers(section: Section, total: number): Section {
  const { rows } = section;
  const clicks = total - rows.reduce((sum, row) => sum + row.clicks, 0);
  if (rows.length === 0 || clicks <= 0) return section;
  return { ...section, rows: [...rows, { name: other, label: other, detail: '', clicks }] };
}

// The parentheses distinguish it from the device type `other`.
const other = '(other)';

const bucketMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** Marks the first and the last bucket if the window begins or ends within them, by the clocks. */
export function bucketsOf(
  series: readonly ClickBucket[],
  { since, until }: Window,
  groupBy: GroupBy,
): Bucket[] {
  const endsWithin = wallTimeOf(until) % bucketMs[groupBy] !== 0;
  return series.map((each, index) => {
    const isCutAtEnd = endsWithin && index === series.length - 1;
    return { ...each, isPartial: isCutAtEnd || Date.parse(each.bucket) < Date.parse(since) };
  });
}

/** Returns the time on the clocks, in milliseconds as if it were in UTC. */
export function wallTimeOf(instant: string): number {
  return Date.parse(`${instant.slice(0, '2030-11-01T00:00:00.000'.length)}Z`);
}

/** `2030-11-01 00:00 UTC to 2030-12-01 00:00 UTC, by day`. */
export function describeWindow({ since, until, groupBy }: Report): string {
  return `${formatInstant(since)} to ${formatInstant(until)}, by ${groupBy}`;
}

/** `+12%`, `-3%`, `unchanged`, or `0 before`. Empty when there is nothing to compare. */
export function formatChange({ count, before }: Total): string {
  if (before === undefined || (before === 0 && count === 0)) return '';
  if (before === 0) return '0 before';
  if (before === count) return 'unchanged';
  const percent = ((count - before) / before) * 100;
  const sign = percent < 0 ? '-' : '+';
  const size = Math.abs(percent);
  return `${sign}${size < 1 ? '<1' : formatNumber(size)}%`;
}

/** `34.5%`. A count above 0 is never 0%. */
export function formatShare(part: number, whole: number): string {
  if (part <= 0 || whole <= 0) return '0%';
  const percent = (part / whole) * 100;
  return percent < 0.1 ? '<0.1%' : `${percent.toFixed(1)}%`;
}

export interface Window {
  readonly since: string;
  readonly until: string;
}

const clickLabels = {
  totalClicks: 'clicks',
  uniqueClicks: 'unique visitors',
  uniqueIps: 'addresses',
};

const certaintyLabels = { provenScans: 'proven scans', inferredScans: 'inferred scans' };

/** Returns the totals that have labels, with those of the window before. */
function totalsOf<Name extends string>(
  labels: Readonly<Record<Name, string>>,
  totals: Readonly<Record<NoInfer<Name>, number>>,
  before?: Readonly<Record<NoInfer<Name>, number>>,
): Total[] {
  return (Object.keys(labels) as Name[]).map((name) => ({
    name,
    label: labels[name],
    count: totals[name],
    before: before?.[name],
  }));
}

/** Returns notes about deleted visits since the first window, and about inferred scans. */
function notesOf({ retainedSince, totals }: Counted, { since }: Window): string[] {
  const notes: string[] = [];
  if (retainedSince !== null && Date.parse(since) < Date.parse(retainedSince)) {
    notes.push(`the server has deleted the visits before ${retainedSince}: no count has them`);
  }
  if (totals.inferredScans) {
    notes.push(
      'inferred scans may be taps on links without a custom slug, because a phone sends the same request for both',
    );
  }
  return notes;
}

/** The clicks that another link shortener counted. They belong to no window. */
function importedTotals({ importedClicks }: Pick<UrlClicks, 'importedClicks'>): Total[] {
  if (importedClicks === 0) return [];
  return [{ name: 'importedClicks', label: 'imported clicks', count: importedClicks }];
}

/** How the rows of a breakdown are shown. */
interface Breakdown {
  readonly title: string;
  /** The field with the name of a row; that of the breakdown by default. */
  readonly nameField?: string;
  readonly label?: (name: string) => string;
  readonly detail?: (row: Readonly<Record<string, unknown>>) => string;
  /** The name of visits without a value: there is no section if all have it. */
  readonly without?: string;
}

const unknown = 'Unknown';

/** The breakdowns of clicks and scans, in display order. */
const breakdowns: Readonly<Record<string, Breakdown>> = {
  scanMethod: { title: 'Scanned with', label: (name) => name.replace('_', ' ') },
  scannerApp: { title: 'Apps' },
  country: { title: 'Countries', label: namesOf('region', /^[A-Z]{2}$/) },
  // Only a database of cities knows regions and cities.
  region: { title: 'Regions', without: unknown },
  city: {
    title: 'Cities',
    without: unknown,
    // The code of a region begins with the country.
    detail: ({ city, region, country }) =>
      city === unknown ? '' : String(region === unknown ? country : region),
  },
  device: { title: 'Devices', nameField: 'deviceType' },
  browser: { title: 'Browsers' },
  os: { title: 'Operating systems' },
  referrer: {
    title: 'Referrers',
    nameField: 'referrerDomain',
    // The label of a direct visit already says so.
    detail: ({ referrerType }) => (referrerType === 'direct' ? '' : String(referrerType)),
  },
  language: { title: 'Languages', label: namesOf('language', /^[a-z]{2,3}$/) },
  utmSource: { title: 'UTM source', without: '(none)' },
  utmMedium: { title: 'UTM medium', without: '(none)' },
  utmCampaign: { title: 'UTM campaign', without: '(none)' },
  utmTerm: { title: 'UTM term', without: '(none)' },
  utmContent: { title: 'UTM content', without: '(none)' },
  variant: { title: 'Rules and variants', without: '(default)' },
};

/** Returns the sections of a response. A server of an earlier version has fewer breakdowns. */
function sectionsOf(response: ClickBreakdowns | QrScans['breakdowns']): Section[] {
  const lists: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = response;
  return Object.entries(breakdowns).flatMap(([list, breakdown]) => {
    const { title, nameField = list, label, detail, without } = breakdown;
    const rows = lists[list]?.map((row): SectionRow => {
      const name = String(row[nameField]);
      const shown = { label: label?.(name) ?? name, detail: detail?.(row) ?? '' };
      return { name, ...shown, clicks: Number(row.clicks ?? row.scans) };
    });
    if (!rows || (without !== undefined && rows.every(({ name }) => name === without))) return [];
    const name = list.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [{ name, title, rows }];
  });
}

/** Returns a function from codes, such as `DE`, to their names in English. */
function namesOf(type: 'language' | 'region', code: RegExp) {
  return (name: string) =>
    code.test(name) ? (new Intl.DisplayNames('en', { type }).of(name) ?? name) : name;
}
