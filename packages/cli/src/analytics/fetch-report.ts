import {
  type GroupBy,
  type LinkNames,
  linkReport,
  overviewReport,
  type Report,
  type ReportExtras,
  type ReportFilters,
  scanReport,
  wallTimeOf,
} from '@shorty/report';
import {
  type ClicksQuery,
  type OverviewQuery,
  PermissionError,
  type ScansQuery,
  type Shorty,
  ValidationError,
} from '@shorty/sdk';
import { findEach } from '../find-each.js';
import { findLinkId, findQrId } from '../find-link.js';

/** The requests of a report, and the report of their responses. */
interface ReportSource<Data extends Window, Query> {
  readonly read: (query: Query) => PromiseLike<Data>;
  /** The links whose names the report shows. */
  readonly linksOf: (data: Data) => readonly string[];
  readonly toReport: (data: Data, groupBy: GroupBy, extras: ReportExtras<Data>) => Report;
}

interface Window {
  readonly since: string;
  readonly until: string;
}

/** A response, and a function that reads what only people see: titles and the window before. */
export interface FetchedReport<Data> {
  readonly data: Data;
  readonly complete: () => Promise<Report>;
}

/** `Query` is that of the report: each has filters of its own. */
export interface ReportRequest<Query = ClicksQuery> {
  readonly client: Shorty;
  readonly query: Query;
  readonly groupBy: GroupBy;
  readonly filters: ReportFilters;
  readonly signal: AbortSignal;
}

export async function fetchLinkReport(request: ReportRequest, link: string) {
  const { client, signal } = request;
  const id = await findLinkId(client, link, { signal });
  return fetchReport(request, {
    read: (query) => client.urls.clicks(id, query, { signal }),
    linksOf: ({ urlId }) => [urlId],
    toReport: linkReport,
  });
}

export function fetchOverviewReport(request: ReportRequest<OverviewQuery>) {
  const { client, signal } = request;
  return fetchReport(request, {
    read: (query) => client.analytics.overview(query, { signal }),
    linksOf: ({ topUrls }) => topUrls.map(({ urlId }) => urlId),
    toReport: overviewReport,
  });
}

export async function fetchScanReport(request: ReportRequest<ScansQuery>, code: string) {
  const { client, signal } = request;
  const id = await findQrId(client, code, { signal });
  return fetchReport(request, {
    read: (query) => client.qr.scans(id, query, { signal }),
    linksOf: () => [],
    toReport: scanReport,
  });
}

async function fetchReport<Data extends Window, Query extends ClicksQuery>(
  request: ReportRequest<Query>,
  { read, linksOf, toReport }: ReportSource<Data, Query>,
): Promise<FetchedReport<Data>> {
  const { filters } = request;
  const data = await read(request.query);
  const query = { ...request.query, groupBy: 'day', limit: 1 };
  const complete = async () => {
    const windowBefore = beforeWindow(data, request.query.since);
    const [before, links] = await Promise.all([
      windowBefore && readBefore(() => read({ ...query, ...windowBefore })),
      readNames(request, linksOf(data)),
    ]);
    return toReport(data, request.groupBy, { before, links, filters });
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
  if (typeof asked === 'string' && plainDate.test(asked)) {
    const start = Date.parse(asked);
    const before = start - (wallTimeOf(until) - start);
    // Without an offset, it is a time in the time zone of the query.
    const local = (at: number) => new Date(at).toISOString().slice(0, -1);
    return before < 0 ? undefined : { since: local(before), until: since };
  }
  const start = Date.parse(since);
  const before = start - (Date.parse(until) - start);
  return before < 0 ? undefined : { since: new Date(before).toISOString(), until: since };
}

/** Reads the window before. A filter is refused if its visits are deleted. */
async function readBefore<Data>(read: () => PromiseLike<Data>): Promise<Data | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ValidationError) return undefined;
    throw error;
  }
}

async function readNames(
  { client, signal }: Pick<ReportRequest, 'client' | 'signal'>,
  ids: readonly string[],
): Promise<Map<string, LinkNames>> {
  const names = new Map<string, LinkNames>();
  try {
    for await (const page of findEach(ids, (id) => client.urls.get(id, { signal }))) {
      for (const { id, item } of page) if (item) names.set(id, item);
    }
  } catch (error) {
    // Clicks can be read without the scope urls:read.
    if (!(error instanceof PermissionError)) throw error;
  }
  return names;
}
