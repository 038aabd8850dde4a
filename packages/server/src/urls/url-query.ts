import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Page } from '../contract/fields.js';
import type { Database } from '../storage/database.js';
import { isWithin } from '../storage/link-restriction.js';
import {
  allOf,
  createdWithin,
  type ListOrder,
  type ListQuery,
  readList,
} from '../storage/list-page.js';
import { foldText } from '../storage/search-text.js';
import { isAmong } from '../storage/statements.js';
import { tagTextOf } from '../storage/tag-text.js';
import { fromRow, type ShortUrl, selectUrls } from './short-url.js';
import type { UrlFilter, UrlSort } from './url-contract.js';

export function listUrls(
  database: Database,
  organizationId: string,
  filter: UrlFilter,
  now: number,
): Promise<Page<ShortUrl>> {
  const query = urlListQuery(organizationId, filter, now);
  return readList<number, ShortUrl>(database, query, async (ids) => {
    const { read } = database;
    const rows = await selectUrls(read)
      .where(isAmong(read, sql.ref('urls.id'), ids))
      .execute();
    return rows.map(fromRow);
  });
}

export function urlListQuery(organizationId: string, filter: UrlFilter, now: number): ListQuery {
  return {
    table: 'urls',
    owner: { column: 'organization_id', value: organizationId },
    indexed: createdWithin(filter.createdSince, filter.createdUntil),
    condition: conditionOf(filter, now),
    order: orderOf(filter),
    limit: filter.limit,
    offset: filter.offset,
    after: filter.after,
  };
}

/** Returns the order of a list. */
function orderOf({ sort = 'createdAt', order: direction = 'desc' }: UrlFilter): ListOrder {
  const ofClicks = (column: 'clicks' | 'last_clicked_at') =>
    sql<number>`coalesce((select ${sql.ref(column)} from url_clicks where url_id = urls.id), 0)`;
  const keys: Readonly<Record<UrlSort, ListOrder['key']>> = {
    createdAt: undefined,
    clickCount: ofClicks('clicks'),
    lastClickAt: ofClicks('last_clicked_at'),
  };
  return { key: keys[sort], direction };
}

/** Returns the condition of all filters that are set; undefined when none is. */
function conditionOf(filter: UrlFilter, now: number): RawBuilder<SqlBool> | undefined {
  const { isActive, isDeleted, isTargetBlocked, category, createdBy, domainId } = filter;
  const { restriction, tag, search, targetUrl } = filter;
  const nullIf = (isNull: boolean) => sql.raw(isNull ? 'null' : 'not null');
  const active = sql`(urls.is_active = 1
    and (urls.expires_at is null or urls.expires_at > ${now}))`;
  return allOf(
    isActive !== undefined && (isActive ? active : sql`not ${active}`),
    isDeleted !== undefined && sql`urls.deleted_at is ${nullIf(!isDeleted)}`,
    isTargetBlocked !== undefined && sql`urls.target_blocked_at is ${nullIf(!isTargetBlocked)}`,
    category !== undefined && sql`urls.category = ${category}`,
    createdBy !== undefined && sql`urls.created_by = ${createdBy}`,
    domainId !== undefined && sql`urls.domain_id = ${domainId}`,
    restriction && isWithin(restriction),
    targetUrl !== undefined && sql`urls.target_url = ${targetUrl}`,
    tag !== undefined && contains('urls.tags', tagTextOf(tag)),
    search !== undefined && contains('urls.search_text', foldText(search)),
  );
}

function contains(column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`${sql.ref(column)} like ${pattern} escape '\\'`;
}
