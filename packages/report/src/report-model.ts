import type {
  AnalyticsOverview,
  ClickBreakdowns,
  ClickBucket,
  QrScans,
  UrlClicks,
} from '@shorty/sdk';
import { formatInstant, formatNumber } from './format.js';

/** The content of a report in any format, in display order. */
export interface Report extends TextReport {
  /** The unit of the `clicks` fields. A scan is also a click. */
  readonly counted: 'click' | 'scan';
  readonly uniqueClicks: number;
  readonly series: readonly Bucket[];
}

/** The content of a report as text. */
export interface TextReport {
  readonly title: string;
  /** The unit of the `clicks` fields. */
  readonly counted: 'click' | 'scan' | 'attempt';
  /** Instants, as the API sent them. The window excludes `until`. */
  readonly since: string;
  readonly until: string;
  readonly groupBy: GroupBy;
  readonly totalClicks: number;
  readonly totals: readonly Total[];
  readonly series: readonly Omit<Bucket, 'uniques'>[];
  readonly sections: readonly Section[];
  /** The window of the same length before this one; undefined when it was not read. */
  readonly before: { readonly since: string; readonly until: string } | undefined;
  /** Notes about the counts, as sentences without a full stop. */
  readonly notes?: readonly string[];
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
  /** The text to show, if it is not the count and the label. */
  readonly text?: string;
}

export interface Section {
  readonly name:
    | 'failure'
    | 'country'
    | 'region'
    | 'city'
    | 'device'
    | 'browser'
    | 'os'
    | 'referrer'
    | 'language'
    | `utm-${'source' | 'medium' | 'campaign' | 'term' | 'content'}`
    | 'variant'
    | 'scan-method'
    | 'scanner-app'
    | 'top-url'
    | 'variant';
  readonly title: string;
  readonly rows: readonly SectionRow[];
  /** The text without rows; by default, that nothing was counted. */
  readonly emptyText?: string;
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
export interface LinkNames {
  readonly title: string | null;
  readonly customSlug: string | null;
}

/** What a report shows beside the response. */
export interface ReportExtras<Data> {
  /** The response for the window before. */
  readonly before?: Data | undefined;
  /** The titles and slugs of links by their id. */
  readonly links?: ReadonlyMap<string, LinkNames>;
}

/** Returns the label of a total, such as `clicks`, or `click` for one. */
export function labelOf({ label, count }: Pick<Total, 'label' | 'count'>): string {
  if (count !== 1) return label;
  return label === 'addresses' ? 'address' : label.slice(0, -1);
}

export function linkReport(
  data: UrlClicks,
  groupBy: GroupBy,
  { before, links }: ReportExtras<UrlClicks> = {},
): Report {
  const { totals, breakdowns, timeseries } = data;
  const { title, customSlug } = links?.get(data.urlId) ?? {};
  const name = customSlug ?? data.shortCode;
  return {
    title: `Clicks of link ${name} (id ${data.urlId})${title ? `: ${title}` : ''}`,
    counted: 'click',
    ...windowOf(data),
    before: before && windowOf(before),
    notes: retentionNotes(data, before),
    groupBy,
    ...totals,
    totals: [...clickTotals(totals, before?.totals), ...importedTotals(data)],
    series: bucketsOf(timeseries, data, groupBy),
    sections: withOthers(breakdownSections(breakdowns), totals.totalClicks),
  };
}

export function overviewReport(
  data: AnalyticsOverview,
  groupBy: GroupBy,
  { before, links }: ReportExtras<AnalyticsOverview> = {},
): Report {
  const { totals, topUrls, breakdowns, timeseries } = data;
  const top: Section = {
    name: 'top-url',
    title: 'Top links',
    rows: topUrls.map(({ urlId, shortUrl, clicks }) => ({
      name: shortUrl,
      label: shortUrl.replace(/^https?:\/\//, ''),
      detail: urlId,
      title: links?.get(urlId)?.title ?? undefined,
      clicks,
    })),
  };
  return {
    title: 'Clicks of all links',
    counted: 'click',
    ...windowOf(data),
    before: before && windowOf(before),
    notes: [...retentionNotes(data, before), ...certaintyNotes(totals)],
    groupBy,
    totalClicks: totals.totalClicks,
    uniqueClicks: totals.uniqueClicks,
    totals: [
      ...clickTotals(totals, before?.totals),
      ...importedTotals(data),
      { name: 'totalUrls', label: 'links', count: totals.totalUrls },
      { name: 'activeUrls', label: 'active links', count: totals.activeUrls },
      { name: 'totalQrs', label: 'QR codes', count: totals.totalQrs },
      {
        name: 'totalScans',
        label: 'scans',
        count: totals.totalScans,
        before: before?.totals.totalScans,
      },
      ...certaintyTotals(totals, before?.totals),
    ],
    series: bucketsOf(timeseries, data, groupBy),
    sections: withOthers([top, ...breakdownSections(breakdowns)], totals.totalClicks),
  };
}

export function scanReport(
  data: QrScans,
  groupBy: GroupBy,
  { before }: ReportExtras<QrScans> = {},
): Report {
  const { totals, breakdowns, timeseries } = data;
  return {
    title: `Scans of QR code ${data.qrCodeId}`,
    counted: 'scan',
    ...windowOf(data),
    before: before && windowOf(before),
    notes: [...retentionNotes(data, before), ...certaintyNotes(totals)],
    groupBy,
    totalClicks: totals.totalScans,
    uniqueClicks: totals.uniqueScans,
    totals: [
      {
        name: 'totalScans',
        label: 'scans',
        count: totals.totalScans,
        before: before?.totals.totalScans,
      },
      {
        name: 'uniqueScans',
        label: 'unique visitors',
        count: totals.uniqueScans,
        before: before?.totals.uniqueScans,
      },
      {
        name: 'uniqueIps',
        label: 'addresses',
        count: totals.uniqueIps,
        before: before?.totals.uniqueIps,
      },
      ...certaintyTotals(totals, before?.totals),
    ],
    series: bucketsOf(
      timeseries.map(({ bucket, scans, uniques }) => ({ bucket, clicks: scans, uniques })),
      data,
      groupBy,
    ),
    sections: withOthers(scanSections(breakdowns), totals.totalScans),
  };
}

function scanSections({ country, device, browser, scanMethod, scannerApp }: QrScans['breakdowns']) {
  const row = (name: string, clicks: number, label = name): SectionRow => ({
    name,
    label,
    detail: '',
    clicks,
  });
  const sections: Section[] = [
    {
      name: 'scan-method',
      title: 'Scanned with',
      rows: scanMethod.map((each) =>
        row(each.scanMethod, each.scans, each.scanMethod.replace('_', ' ')),
      ),
    },
    {
      name: 'scanner-app',
      title: 'Apps',
      rows: scannerApp.map((each) => row(each.scannerApp, each.scans)),
    },
    {
      name: 'country',
      title: 'Countries',
      rows: country.map((each) => row(each.country, each.scans, countryName(each.country))),
    },
    {
      name: 'device',
      title: 'Devices',
      rows: device.map((each) => row(each.deviceType, each.scans)),
    },
    {
      name: 'browser',
      title: 'Browsers',
      rows: browser.map((each) => row(each.browser, each.scans)),
    },
  ];
  return sections;
}

/** Adds a row to each section for the clicks of names that the response does not list. */
function withOthers(sections: readonly Section[], total: number): Section[] {
  return sections.map((section) => {
    const { rows } = section;
    const clicks = total - rows.reduce((sum, row) => sum + row.clicks, 0);
    if (rows.length === 0 || clicks <= 0) return section;
    return { ...section, rows: [...rows, { name: other, label: other, detail: '', clicks }] };
  });
}

// The parentheses distinguish it from the device type `other`.
const other = '(other)';

const bucketMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** Marks the first and the last bucket if the window begins or ends within them. */
export function bucketsOf<Item extends Omit<ClickBucket, 'uniques'>>(
  series: readonly Item[],
  { since, until }: { since: string; until: string },
  groupBy: GroupBy,
): (Item & { isPartial: boolean })[] {
  return series.map((each, index) => {
    const isCutAtStart = Date.parse(each.bucket) < Date.parse(since);
    const isCutAtEnd = index === series.length - 1 && endsWithin(each.bucket, until, groupBy);
    return { ...each, isPartial: isCutAtStart || isCutAtEnd };
  });
}

/**
 * Returns whether a window ends within a bucket. Clocks decide, because days have 23 to 25 hours. But
 * when they are set back, they show an hour twice, and an instant after its end has an earlier time.
 */
function endsWithin(bucket: string, until: string, groupBy: GroupBy): boolean {
  const length = bucketMs[groupBy];
  if (groupBy === 'hour' && Date.parse(bucket) + length <= Date.parse(until)) return false;
  const start = Math.floor(wallTimeOf(bucket) / length) * length;
  return wallTimeOf(until) < start + length;
}

/** Returns the time on the clocks, in milliseconds as if it were in UTC. */
export function wallTimeOf(instant: string): number {
  return Date.parse(`${instant.slice(0, '2030-11-01T00:00:00.000'.length)}Z`);
}

/** `2030-11-01 00:00 UTC to 2030-12-01 00:00 UTC, by day`. */
export function describeWindow({ since, until, groupBy }: TextReport): string {
  return `${formatInstant(since)} to ${formatInstant(until)}, by ${groupBy}`;
}

/** `2030-10-02 00:00 UTC to 2030-11-01 00:00 UTC`, or undefined without a comparison. */
export function describeBefore({ before }: TextReport): string | undefined {
  if (!before) return undefined;
  return `change from ${formatInstant(before.since)} to ${formatInstant(before.until)} in parentheses`;
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

export function windowOf({ since, until }: { since: string; until: string }) {
  return { since, until };
}

function clickTotals(totals: UrlClicks['totals'], before?: UrlClicks['totals']): Total[] {
  const { totalClicks, uniqueClicks, uniqueIps } = totals;
  return [
    { name: 'totalClicks', label: 'clicks', count: totalClicks, before: before?.totalClicks },
    {
      name: 'uniqueClicks',
      label: 'unique visitors',
      count: uniqueClicks,
      before: before?.uniqueClicks,
    },
    { name: 'uniqueIps', label: 'addresses', count: uniqueIps, before: before?.uniqueIps },
  ];
}

type RetainedReport = Pick<UrlClicks, 'since' | 'retainedSince' | 'uniquesSpanRotation'>;

/** Returns notes about deleted visits, and about a rotation of the visitor keys. */
function retentionNotes(report: RetainedReport, before: RetainedReport | undefined): string[] {
  const notes: string[] = [];
  const { retainedSince } = report;
  const { since } = before ?? report;
  if (retainedSince !== null && Date.parse(since) < Date.parse(retainedSince)) {
    notes.push(`the server has deleted the visits before ${retainedSince}: no count has them`);
  }
  if (report.uniquesSpanRotation || before?.uniquesSpanRotation) {
    notes.push(
      'the server rotated its visitor keys in the window: a visitor or address from before and after it counts once for each',
    );
  }
  return notes;
}

type ScanCertainty = Pick<QrScans['totals'], 'provenScans' | 'inferredScans'>;

function certaintyTotals(totals: ScanCertainty, before: ScanCertainty | undefined): Total[] {
  const { provenScans, inferredScans } = totals;
  return [
    {
      name: 'provenScans',
      label: 'proven scans',
      count: provenScans,
      before: before?.provenScans,
    },
    {
      name: 'inferredScans',
      label: 'inferred scans',
      count: inferredScans,
      before: before?.inferredScans,
    },
  ];
}

function certaintyNotes({ inferredScans }: ScanCertainty): string[] {
  if (inferredScans === 0) return [];
  return [
    'inferred scans may be taps on links without a custom slug, because a phone sends the same request for both',
  ];
}

/** The clicks that another link shortener counted. They belong to no window. */
function importedTotals({ importedClicks }: Pick<UrlClicks, 'importedClicks'>): Total[] {
  if (importedClicks === 0) return [];
  return [{ name: 'importedClicks', label: 'imported clicks', count: importedClicks }];
}

function breakdownSections(breakdowns: ClickBreakdowns): Section[] {
  const { country, device, browser, os, referrer } = breakdowns;
  const named = ({ name, clicks }: { name: string; clicks: number }): SectionRow => ({
    name,
    label: name,
    detail: '',
    clicks,
  });
  return [
    {
      name: 'country',
      title: 'Countries',
      rows: country.map((row) => ({
        ...named({ name: row.country, clicks: row.clicks }),
        label: countryName(row.country),
      })),
    },
    ...placeSections(breakdowns),
    {
      name: 'device',
      title: 'Devices',
      rows: device.map((row) => named({ name: row.deviceType, clicks: row.clicks })),
    },
    {
      name: 'browser',
      title: 'Browsers',
      rows: browser.map((row) => named({ name: row.browser, clicks: row.clicks })),
    },
    {
      name: 'os',
      title: 'Operating systems',
      rows: os.map((row) => named({ name: row.os, clicks: row.clicks })),
    },
    {
      name: 'referrer',
      title: 'Referrers',
      rows: referrer.map((row) => ({
        ...named({ name: row.referrerDomain, clicks: row.clicks }),
        // The label of a direct visit already says so.
        detail: row.referrerType === 'direct' ? '' : row.referrerType,
      })),
    },
    ...languageSections(breakdowns),
    ...utmSections(breakdowns),
    ...variantSections(breakdowns),
  ];
}

/**
 * Returns the sections of the regions and cities of visits. There are none without a database of cities,
 * and for a server of an earlier version.
 */
function placeSections({ region = [], city = [] }: Partial<ClickBreakdowns>): Section[] {
  const sections: Section[] = [
    {
      name: 'region',
      title: 'Regions',
      rows: region.map(({ region: name, clicks }) => ({ name, label: name, detail: '', clicks })),
    },
    {
      name: 'city',
      title: 'Cities',
      rows: city.map(({ city: name, region: of, country, clicks }) => ({
        name,
        label: name,
        // The code of a region begins with the country.
        detail: name === unknown ? '' : of === unknown ? country : of,
        clicks,
      })),
    },
  ];
  return sections.filter(({ rows }) => rows.some(({ name }) => name !== unknown));
}

const unknown = 'Unknown';

/** Returns no section for a server of an earlier version, which has no such breakdown. */
function languageSections({ language }: Partial<ClickBreakdowns>): Section[] {
  if (!language) return [];
  const rows = language.map(({ language: code, clicks }) => ({
    name: code,
    label: languageName(code),
    detail: '',
    clicks,
  }));
  return [{ name: 'language', title: 'Languages', rows }];
}

/** Returns the section of the rules that chose targets. There is none without rules. */
function variantSections({ variant = [] }: Partial<ClickBreakdowns>): Section[] {
  if (variant.every((row) => row.variant === '(default)')) return [];
  const rows = variant.map(({ variant: name, clicks }) => ({
    name,
    label: name,
    detail: '',
    clicks,
  }));
  return [{ name: 'variant', title: 'Rules and variants', rows }];
}

/** Returns the sections of the UTM parameters that visits have. */
function utmSections(breakdowns: Partial<ClickBreakdowns>): Section[] {
  const { utmSource, utmMedium, utmCampaign, utmTerm, utmContent } = breakdowns;
  const section = (
    part: 'source' | 'medium' | 'campaign' | 'term' | 'content',
    values: readonly (readonly [value: string, clicks: number])[] = [],
  ): Section[] => {
    if (values.every(([value]) => value === '(none)')) return [];
    const rows = values.map(([name, clicks]) => ({ name, label: name, detail: '', clicks }));
    return [{ name: `utm-${part}`, title: `UTM ${part}`, rows }];
  };
  return [
    ...section(
      'source',
      utmSource?.map((row) => [row.utmSource, row.clicks]),
    ),
    ...section(
      'medium',
      utmMedium?.map((row) => [row.utmMedium, row.clicks]),
    ),
    ...section(
      'campaign',
      utmCampaign?.map((row) => [row.utmCampaign, row.clicks]),
    ),
    ...section(
      'term',
      utmTerm?.map((row) => [row.utmTerm, row.clicks]),
    ),
    ...section(
      'content',
      utmContent?.map((row) => [row.utmContent, row.clicks]),
    ),
  ];
}

function languageName(code: string): string {
  if (!/^[a-z]{2,3}$/.test(code)) return code;
  return new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code;
}

function countryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code;
  return new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code;
}
