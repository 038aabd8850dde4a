import { type ClicksQuery, PermissionError, type Shorty } from '@shorty/sdk';
import { findEach } from '../find-each.js';
import { findLinkId } from '../find-link.js';
import {
  type GroupBy,
  type LinkNames,
  linkReport,
  overviewReport,
  type Report,
  type ReportExtras,
  scanReport,
} from './report-model.js';

/** The requests of a report, and the report of their responses. */
interface ReportSource<Data extends Window> {
  readonly read: (query: ClicksQuery) => PromiseLike<Data>;
  /** The links whose names the report shows. */
  readonly linksOf: (data: Data) => readonly string[];
  readonly toReport: (data: Data, groupBy: GroupBy, extras: ReportExtras<Data>) => Report;
}

interface Window {
  readonly since: string;
  readonly until: string;
}

/** A response, and a function that reads what only people see: titles and the window before. */
export interface FetchedReport<Data, Shown = Report> {
  readonly data: Data;
  readonly complete: () => Promise<Shown>;
}

export interface ReportRequest {
  readonly client: Shorty;
  readonly query: ClicksQuery;
  readonly groupBy: GroupBy;
  readonly signal: AbortSignal;
}

export async function fetchLinkReport(link: string, request: ReportRequest) {
  const { client, signal } = request;
  const id = await findLinkId(client, link, { signal });
  return fetchReport(request, {
    read: (query) => client.urls.clicks(id, query, { signal }),
    linksOf: ({ urlId }) => [urlId],
    toReport: linkReport,
  });
}

export function fetchOverviewReport(request: ReportRequest) {
  const { client, signal } = request;
  return fetchReport(request, {
    read: (query) => client.analytics.overview(query, { signal }),
    linksOf: ({ topUrls }) => topUrls.map(({ urlId }) => urlId),
    toReport: overviewReport,
  });
}

export function fetchScanReport(id: string, request: ReportRequest) {
  const { client, signal } = request;
  return fetchReport(request, {
    read: (query) => client.qr.scans(id, query, { signal }),
    linksOf: () => [],
    toReport: scanReport,
  });
}

async function fetchReport<Data extends Window>(
  request: ReportRequest,
  { read, linksOf, toReport }: ReportSource<Data>,
): Promise<FetchedReport<Data>> {
  const data = await read(request.query);
  const complete = async () => {
    const windowBefore = beforeWindow(data);
    const [before, links] = await Promise.all([
      windowBefore && read({ ...windowBefore, groupBy: 'day', limit: 1 }),
      readNames(request, linksOf(data)),
    ]);
    return toReport(data, request.groupBy, { before, links });
  };
  return { data, complete };
}

/** Returns the window of the same length before; undefined if it begins before 1970. */
function beforeWindow({ since, until }: Window): Window | undefined {
  const start = Date.parse(since);
  const before = start - (Date.parse(until) - start);
  return before < 0 ? undefined : { since: new Date(before).toISOString(), until: since };
}

async function readNames(
  { client, signal }: ReportRequest,
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
