/** A filter of a report: what selects visits or links, and the form of a value. */
export interface ReportFilter {
  readonly value: string;
  readonly description: string;
}

const utmFilter = (parameter: string): ReportFilter => ({
  value: 'value',
  description: `only visits with this ${parameter}, or (none)`,
});

// The names are those of the query parameters.

/** The filters that select visits. */
export const visitFilters = {
  country: { value: 'code', description: 'only visits from this country (DE)' },
  region: { value: 'code', description: 'only visits from this region (DE-BE)' },
  city: { value: 'name', description: 'only visits from this city' },
  device: { value: 'type', description: 'only visits with this device: desktop, mobile, …' },
  browser: { value: 'name', description: 'only visits with this browser' },
  os: { value: 'name', description: 'only visits with this operating system' },
  referrer: { value: 'host', description: 'only visits from this host, or (direct)' },
  referrerType: {
    value: 'type',
    description: 'only visits with this type of referrer: search, …',
  },
  language: { value: 'code', description: 'only visits with this language (de)' },
  utmSource: utmFilter('utm_source'),
  utmMedium: utmFilter('utm_medium'),
  utmCampaign: utmFilter('utm_campaign'),
  utmTerm: utmFilter('utm_term'),
  utmContent: utmFilter('utm_content'),
  variant: { value: 'name', description: 'only visits with this rule or variant, or (default)' },
} as const satisfies Readonly<Record<string, ReportFilter>>;

/** The filters that select visits in a report of scans only. */
export const scanFilters = {
  scanMethod: { value: 'method', description: 'only scans with this method: camera, …' },
  scannerApp: { value: 'name', description: 'only scans with this app' },
} as const satisfies Readonly<Record<string, ReportFilter>>;

/** The filters that select links in a report of all links. */
export const linkFilters = {
  tag: { value: 'tag', description: 'only links with this tag' },
  domainId: { value: 'domain', description: 'only links on this custom domain (hostname or id)' },
} as const satisfies Readonly<Record<string, ReportFilter>>;
