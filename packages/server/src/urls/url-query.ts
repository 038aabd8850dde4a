import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Page } from '../contract/fields.js';
import type { Database } from '../storage/database.js';
import { allOf } from '../storage/list-page.js';
import type { ListPage, ListQuery, SearchLimits } from '../storage/list-query.js';
import { foldText } from '../storage/search-text.js';
import { fromRow, type ShortUrl, selectUrls, tagTextOf } from './short-url.js';
import type { UrlFilter } from './url-contract.js';

export type UrlPageOptions = SearchLimits & Pick<ListQuery, 'timeoutMs'>;

/** Returns one page of links, newest first, and the number of all matches. */
export async function listUrls(
  database: Database,
  organizationId: string,
  filter: UrlFilter,
  now: number,
): Promise<Page<ShortUrl>> {
  const { total, ids } = await readUrlPage(database, organizationId, filter, now);
  if (ids.length === 0) return { total, items: [] };
  const rows = await selectUrls(database.read)
    .where('urls.id', 'in', ids)
    .orderBy('urls.created_at', 'desc')
    .orderBy('urls.id', 'desc')
    .execute();
  return { total, items: rows.map(fromRow) };
}

/** Returns the ids of one page, newest first, and the number of all matches. */
export async function readUrlPage(
  database: Database,
  organizationId: string,
  filter: UrlFilter,
  now: number,
  { timeoutMs, ...limits }: UrlPageOptions = {},
): Promise<ListPage<number>> {
  return database.readListPage({
    table: 'urls',
    owner: { column: 'organization_id', value: organizationId },
    condition: conditionOf(filter, now),
    search: filter.search === undefined ? undefined : { text: foldText(filter.search), ...limits },
    limit: filter.limit,
    offset: filter.offset,
    timeoutMs,
  });
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
