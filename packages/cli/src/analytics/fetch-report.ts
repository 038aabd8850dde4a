import {
  fetchReport,
  type GroupBy,
  type LinkNames,
  linkReport,
  overviewReport,
  type ReportFilters,
  scanReport,
} from '@shorty/report';
import {
  type ClicksQuery,
  type OverviewQuery,
  PermissionError,
  type ScansQuery,
  type Shorty,
} from '@shorty/sdk';
import { findEach } from '../find-each.js';
import { findLinkId, findQrId } from '../find-link.js';

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
    read: (query: ClicksQuery) => client.urls.clicks(id, query, { signal }),
    linksOf: ({ urlId }) => [urlId],
    readNames: (ids) => readNames(request, ids),
    toReport: linkReport,
  });
}

export function fetchOverviewReport(request: ReportRequest<OverviewQuery>) {
  const { client, signal } = request;
  return fetchReport(request, {
    read: (query: OverviewQuery) => client.analytics.overview(query, { signal }),
    linksOf: ({ topUrls }) => topUrls.map(({ urlId }) => urlId),
    readNames: (ids) => readNames(request, ids),
    toReport: overviewReport,
  });
}

export async function fetchScanReport(request: ReportRequest<ScansQuery>, code: string) {
  const { client, signal } = request;
  const id = await findQrId(client, code, { signal });
  return fetchReport(request, {
    read: (query: ScansQuery) => client.qr.scans(id, query, { signal }),
    linksOf: () => [],
    readNames: async () => new Map(),
    toReport: scanReport,
  });
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
