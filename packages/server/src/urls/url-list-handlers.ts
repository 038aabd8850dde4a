import { validationError } from '../contract/api-error.js';
import type { LinkOwner } from '../contract/caller.js';
import type { ReadPage } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import type { Clock } from '../ports.js';
import { ListTimeoutError } from '../storage/database.js';
import { listTimeoutMs } from '../storage/list-page.js';
import type { LinkOrigins } from './link-origins.js';
import type { UrlListItem, UrlPresentation, UrlRecord } from './present-url.js';
import type { ExportPage, UrlExportPresentation } from './url-csv.js';
import type { UrlFilter, UrlPageQuery, urlListRoutes } from './url-list-contract.js';
import { defaultDirectionOf } from './url-query.js';

export interface UrlListHandlerOptions {
  readonly listUrls: ReadPage<UrlRecord | UrlListItem, UrlFilter, [presentation: UrlPresentation]>;
  readonly exportUrls: (
    organizationId: string,
    filter: UrlFilter,
    presentation: UrlExportPresentation,
  ) => Promise<ExportPage>;
  readonly origins: () => LinkOrigins;
  readonly clock: Clock;
}

// The rows before a page are in memory while they are sorted.
const maxSortedOffset = 10_000;
const sortedOffsetMessage = `must be at most ${maxSortedOffset} unless links are sorted by createdAt: use after`;
const sortTimeoutMessage = `takes longer than ${listTimeoutMs / 1_000} s: sort by createdAt, or list fewer links by createdSince and createdUntil`;

const searchTimeoutMessage = `takes longer than ${listTimeoutMs / 1_000} s: search for a longer text, or add a filter (domainId, category, tag, isActive)`;

export function urlListHandlers({
  listUrls,
  exportUrls,
  origins,
  clock,
}: UrlListHandlerOptions): HandlersOf<typeof urlListRoutes> {
  return {
    async listUrls({ caller, query: { view, ...query } }) {
      const { filter, reply } = openUrlPage(caller, query);
      const presentation = { view, origins: origins(), now: clock() };
      return reply(
        await listUrls(caller.organizationId, filter, presentation).catch((error) =>
          refuseSlowList(error, query),
        ),
      );
    },

    async exportUrls({ caller, query: { format, ...query } }) {
      const { filter, describe } = openUrlPage(caller, query);
      const presentation = { format, origins: origins(), now: clock() };
      const page = await exportUrls(caller.organizationId, filter, presentation).catch((error) =>
        refuseSlowList(error, query),
      );
      const head = JSON.stringify({ ...describe(page), count: page.count }).slice(0, -1);
      return { status: 200, json: `${head},"text":${page.text}}` };
    },
  };
}

/** Opens a page of links. Throws VALIDATION_FAILED for a range that the order does not allow. */
function openUrlPage({ organizationId, restriction }: LinkOwner, query: UrlPageQuery) {
  const { sort, order = defaultDirectionOf(sort) } = query;
  if (sort !== 'createdAt' && (query.offset ?? 0) > maxSortedOffset) {
    throw validationError([{ path: 'offset', message: sortedOffsetMessage }]);
  }
  const keys = sort === 'title' ? 'text' : 'integer';
  const list = { name: 'urls', organizationId, ids: 'integer', keys } as const;
  return openPage(list, { ...query, order, restriction });
}

/** Throws a client error for a list that timed out, because a repeated one would take as long again. */
function refuseSlowList(error: unknown, { search, sort }: UrlPageQuery): never {
  if (error instanceof ListTimeoutError && search !== undefined) {
    throw validationError([{ path: 'search', message: searchTimeoutMessage }]);
  }
  if (error instanceof ListTimeoutError && sort !== 'createdAt') {
    throw validationError([{ path: 'sort', message: sortTimeoutMessage }]);
  }
  throw error;
}
