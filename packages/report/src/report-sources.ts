import {
  type ClicksQuery,
  NotFoundError,
  type OverviewQuery,
  PermissionError,
  type ScansQuery,
  type Shorty,
} from '@shorty/sdk';
import { fetchReport } from './fetch-report.js';
import {
  type GroupBy,
  type LinkNames,
  linkReport,
  overviewReport,
  type ReportFilters,
  scanReport,
} from './report-model.js';

/** What names a record. */
interface Named {
  readonly id: () => Promise<string> | string;
}

/** `Query` is that of the report: each has filters of its own. */
export interface ReportRequest<Query = ClicksQuery> {
  readonly client: Shorty;
  readonly query: Query;
  readonly groupBy: GroupBy;
  /** The filters of the query, which the report names. */
  readonly filters?: ReportFilters;
  readonly signal: AbortSignal;
}

export async function fetchLinkReport(request: ReportRequest, link: Named) {
  const { client, signal } = request;
  const id = await link.id();
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

export async function fetchScanReport(request: ReportRequest<ScansQuery>, code: Named) {
  const { client, signal } = request;
  const id = await code.id();
  return fetchReport(request, {
    read: (query: ScansQuery) => client.qr.scans(id, query, { signal }),
    linksOf: () => [],
    readNames: async () => new Map(),
    toReport: scanReport,
  });
}

// Low enough to leave the server capacity for other clients.
const concurrency = 8;

async function readNames(
  { client, signal }: Pick<ReportRequest, 'client' | 'signal'>,
  ids: readonly string[],
): Promise<Map<string, LinkNames>> {
  const names = new Map<string, LinkNames>();
  try {
    const read = async (id: string) => names.set(id, await client.urls.get(id, { signal }));
    for (let at = 0; at < ids.length; at += concurrency) {
      const some = ids.slice(at, at + concurrency);
      await Promise.all(some.map((id) => read(id).catch(ignoreMissing)));
    }
  } catch (error) {
    // Clicks can be read without the scope urls:read.
    if (!(error instanceof PermissionError)) throw error;
  }
  return names;
}

/** Ignores that a link was erased. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error;
}
