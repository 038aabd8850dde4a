import {
  type ClicksQuery,
  NotFoundError,
  type OverviewQuery,
  PermissionError,
  type RequestOptions,
  type ScansQuery,
  type Shorty,
  ValidationError,
} from '@shorty/sdk';
import {
  type GroupBy,
  type LinkNames,
  linkReport,
  overviewReport,
  type Report,
  type ReportExtras,
  type ReportFilters,
  scanReport,
  type Window,
  wallTimeOf,
} from './report-model.js';

/** What names a record. */
type Named = { readonly id: () => Promise<string> | string };

/** `Query` is that of the report: each has filters of its own. */
export interface ReportRequest<Query = ClicksQuery> {
  readonly client: Shorty;
  readonly query: Query;
  readonly groupBy: GroupBy;
  /** The filters of the query, which the report names. */
  readonly filters?: ReportFilters;
  readonly signal: AbortSignal;
}

/** A response, and a function that reads what only people see: titles and the window before. */
export interface FetchedReport<Data> {
  readonly data: Data;
  readonly complete: () => Promise<Report>;
}

export async function fetchLinkReport(request: ReportRequest, link: Named) {
  const id = await link.id();
  const read = (query: ClicksQuery, options: RequestOptions) =>
    request.client.urls.clicks(id, query, options);
  return fetchReport(request, read, linkReport, ({ urlId }) => [urlId]);
}

export function fetchOverviewReport(request: ReportRequest<OverviewQuery>) {
  const { analytics } = request.client;
  const read = (query: OverviewQuery, options: RequestOptions) =>
    analytics.overview(query, options);
  return fetchReport(request, read, overviewReport, ({ topUrls }) =>
    topUrls.map(({ urlId }) => urlId),
  );
}

export async function fetchScanReport(request: ReportRequest<ScansQuery>, code: Named) {
  const id = await code.id();
  const read = (query: ScansQuery, options: RequestOptions) =>
    request.client.qr.scans(id, query, options);
  return fetchReport(request, read, scanReport, () => []);
}

/** `linksOf` returns the links whose names the report shows. */
async function fetchReport<Data extends Window, Query extends ClicksQuery>(
  { client, query: asked, groupBy, filters = {}, signal }: ReportRequest<Query>,
  read: (query: Query, options: RequestOptions) => PromiseLike<Data>,
  toReport: (data: Data, groupBy: GroupBy, extras: ReportExtras<Data>) => Report,
  linksOf: (data: Data) => readonly string[],
): Promise<FetchedReport<Data>> {
  const data = await read(asked, { signal });
  const complete = async () => {
    const window = beforeWindow(data, asked.since);
    const query = { ...asked, groupBy: 'day', limit: 1, ...window } as const;
    const [before, links] = await Promise.all([
      // A filter is refused if the visits of the window before are deleted.
      window && unless(ValidationError, read(query, { signal })),
      readNames(client, linksOf(data), signal),
    ]);
    return toReport(data, groupBy, { before, links, filters });
  };
  const isFiltered = Object.keys(filters).length > 0;
  return { data: isFiltered ? { filters, ...data } : data, complete };
}

const plainDate = /^\d{4}-\d\d-\d\d$/;

/**
 * Returns the window of the same length before; undefined if it begins before 1970. If `asked`, the
 * start in the query, is a date, the length is that on the clocks of the time zone: a week remains a
 * week if clocks change.
 */
function beforeWindow({ since, until }: Window, asked: ClicksQuery['since']): Window | undefined {
  const isDate = typeof asked === 'string' && plainDate.test(asked);
  const start = Date.parse(isDate ? asked : since);
  const before = 2 * start - (isDate ? wallTimeOf(until) : Date.parse(until));
  if (before < 0) return undefined;
  const text = new Date(before).toISOString();
  // Without an offset, it is a time in the time zone of the query.
  return { since: isDate ? text.slice(0, -1) : text, until: since };
}

// Low enough to leave the server capacity for other clients.
const concurrency = 8;

async function readNames(
  { urls }: Shorty,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, LinkNames>> {
  const names = new Map<string, LinkNames>();
  // Clicks can be read without the scope urls:read, and a link may be erased.
  const read = async (id: string) => {
    const link = await unless(NotFoundError, urls.get(id, { signal }));
    if (link) names.set(id, link);
  };
  for (let at = 0; at < ids.length; at += concurrency) {
    const reads = ids.slice(at, at + concurrency).map(read);
    await unless(PermissionError, Promise.all(reads));
  }
  return names;
}

/** Returns undefined if a request fails with an error of this class. */
async function unless<T>(
  errorClass: abstract new (...args: never) => Error,
  call: PromiseLike<T>,
): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof errorClass) return undefined;
    throw error;
  }
}
