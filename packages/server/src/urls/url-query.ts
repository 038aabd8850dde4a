import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Page } from '../contract/fields.js';
import type { Database } from '../storage/database.js';
import { allOf, readList } from '../storage/list-page.js';
import type { ListQuery, SearchLimits } from '../storage/list-query.js';
import { foldText } from '../storage/search-text.js';
import { fromRow, type ShortUrl, selectUrls, tagTextOf } from './short-url.js';
import type { UrlFilter } from './url-contract.js';

export type UrlPageOptions = SearchLimits & Pick<ListQuery, 'timeoutMs'>;

/** Returns one page of links, newest first. */
export function listUrls(
  database: Database,
  organizationId: string,
  filter: UrlFilter,
  now: number,
): Promise<Page<ShortUrl>> {
  return readList<number, ShortUrl>(
    database,
    urlListQuery(organizationId, filter, now),
    async (ids) => {
      const rows = await selectUrls(database.read).where('urls.id', 'in', ids).execute();
      return rows.map(fromRow);
    },
  );
}

/** Returns the list of the links that a filter selects. */
export function urlListQuery(
  organizationId: string,
  filter: UrlFilter,
  now: number,
  { timeoutMs, ...limits }: UrlPageOptions = {},
): ListQuery {
  return {
    table: 'urls',
    owner: { column: 'organization_id', value: organizationId },
    condition: conditionOf(filter, now),
    search: filter.search === undefined ? undefined : { text: foldText(filter.search), ...limits },
    limit: filter.limit,
    offset: filter.offset,
    after: filter.after,
    timeoutMs,
  };
}

/** Returns the condition of all filters that are set; undefined when none is. */
function conditionOf(filter: UrlFilter, now: number): RawBuilder<SqlBool> | undefined {
  const { isActive, category, domainId, tag, search } = filter;
  const conditions: RawBuilder<SqlBool>[] = [];
  if (isActive !== undefined) {
    const active = sql<SqlBool>`(urls.is_active = 1
      and (urls.expires_at is null or urls.expires_at > ${now}))`;
    conditions.push(isActive ? active : sql`not ${active}`);
  }
  if (category !== undefined) conditions.push(sql`urls.category = ${category}`);
  if (domainId !== undefined) conditions.push(sql`urls.domain_id = ${domainId}`);
  if (tag !== undefined) conditions.push(contains('urls.tags', tagTextOf(tag)));
  if (search !== undefined) conditions.push(contains('urls.search_text', foldText(search)));
  return conditions.length === 0 ? undefined : allOf(...conditions);
}

function contains(column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`${sql.ref(column)} like ${pattern} escape '\\'`;
}
