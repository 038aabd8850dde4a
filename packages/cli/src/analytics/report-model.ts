import type {
  AnalyticsOverview,
  ClickBreakdowns,
  ClickBucket,
  QrScans,
  UrlClicks,
} from '@shorty/sdk';
import { formatInstant } from '../format.js';

/** The content of a report in any format, in display order. */
export interface Report {
  readonly title: string;
  /** The unit of the `clicks` fields. A scan is also a click. */
  readonly counted: 'click' | 'scan';
  /** Milliseconds since the epoch. The window excludes `until`. */
  readonly since: number;
  readonly until: number;
  readonly groupBy: GroupBy;
  readonly totalClicks: number;
  readonly uniqueClicks: number;
  readonly totals: readonly Total[];
  readonly series: readonly ClickBucket[];
  readonly sections: readonly Section[];
}

export type GroupBy = 'hour' | 'day';

export interface Total {
  /** The field name in the API. */
  readonly name: string;
  readonly label: string;
  readonly count: number;
}

export interface Section {
  readonly name:
    | 'country'
    | 'device'
    | 'browser'
    | 'os'
    | 'referrer'
    | 'scan-method'
    | 'scanner-app'
    | 'top-url';
  readonly title: string;
  readonly rows: readonly SectionRow[];
}

export interface SectionRow {
  readonly name: string;
  /** The display name. */
  readonly label: string;
  /** Additional information: the type of a referrer, the id of a link. */
  readonly detail: string;
  readonly clicks: number;
}

export function linkReport(data: UrlClicks, groupBy: GroupBy): Report {
  const { totals, breakdowns, timeseries } = data;
  return {
    title: `Clicks of link ${data.urlId} (${data.shortCode})`,
    counted: 'click',
    ...windowOf(data),
    groupBy,
    ...totals,
    totals: clickTotals(totals),
    series: timeseries,
    sections: breakdownSections(breakdowns),
  };
}

export function overviewReport(data: AnalyticsOverview, groupBy: GroupBy): Report {
  const { totals, topUrls, breakdowns, timeseries } = data;
  const top: Section = {
    name: 'top-url',
    title: 'Top links',
    rows: topUrls.map(({ urlId, shortUrl, clicks }) => ({
      name: shortUrl,
      label: shortUrl.replace(/^https?:\/\//, ''),
      detail: urlId,
      clicks,
    })),
  };
  return {
    title: 'Clicks of all links',
    counted: 'click',
    ...windowOf(data),
    groupBy,
    totalClicks: totals.totalClicks,
    uniqueClicks: totals.uniqueClicks,
    totals: [
      ...clickTotals(totals),
      { name: 'totalUrls', label: 'links', count: totals.totalUrls },
      { name: 'activeUrls', label: 'active links', count: totals.activeUrls },
      { name: 'totalQrs', label: 'QR codes', count: totals.totalQrs },
      { name: 'totalScans', label: 'scans', count: totals.totalScans },
    ],
    series: timeseries,
    sections: [top, ...breakdownSections(breakdowns)],
  };
}

export function scanReport(data: QrScans, groupBy: GroupBy): Report {
  const { totals, breakdowns, timeseries } = data;
  const { country, device, browser, scanMethod, scannerApp } = breakdowns;
  const row = (name: string, clicks: number, label = name): SectionRow => ({
    name,
    label,
    detail: '',
    clicks,
  });
  return {
    title: `Scans of QR code ${data.qrCodeId}`,
    counted: 'scan',
    ...windowOf(data),
    groupBy,
    totalClicks: totals.totalScans,
    uniqueClicks: totals.uniqueScans,
    totals: [
      { name: 'totalScans', label: 'scans', count: totals.totalScans },
      { name: 'uniqueScans', label: 'unique visitors', count: totals.uniqueScans },
      { name: 'uniqueIps', label: 'addresses', count: totals.uniqueIps },
    ],
    series: timeseries.map(({ bucket, scans, uniques }) => ({ bucket, clicks: scans, uniques })),
    sections: [
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
    ],
  };
}

/** `2030-11-01 00:00 UTC to 2030-12-01 00:00 UTC, by day`. */
export function describeWindow({ since, until, groupBy }: Report): string {
  return `${formatInstant(since)} to ${formatInstant(until)}, by ${groupBy}`;
}

/** `34.5%`. A count above 0 is never 0%. */
export function formatShare(part: number, whole: number): string {
  if (part <= 0 || whole <= 0) return '0%';
  const percent = (part / whole) * 100;
  return percent < 0.1 ? '<0.1%' : `${percent.toFixed(1)}%`;
}

function windowOf({ since, until }: { since: string; until: string }) {
  return { since: Date.parse(since), until: Date.parse(until) };
}

function clickTotals(totals: UrlClicks['totals']): Total[] {
  return [
    { name: 'totalClicks', label: 'clicks', count: totals.totalClicks },
    { name: 'uniqueClicks', label: 'unique visitors', count: totals.uniqueClicks },
    { name: 'uniqueIps', label: 'addresses', count: totals.uniqueIps },
  ];
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
  ];
}

function countryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code;
  return new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code;
}
