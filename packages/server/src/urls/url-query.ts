import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Schema } from '../storage/database.js';
import {
  allOf,
  ListClock,
  type ListPage,
  type ListQuery,
  listTimeoutMs,
  readListPage,
} from '../storage/list-page.js';
import { foldText } from '../storage/search-text.js';
import { searchQueryOf } from '../storage/sqlite/search-index.js';
import type { ShortUrl } from './short-url.js';
import { fromRow, tagNeedle } from './url-row.js';

export interface ListFilter {
  readonly limit: number;
  readonly offset: number;
  readonly isActive?: boolean | undefined;
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  readonly category?: string | undefined;
  readonly domainId?: string | undefined;
}

/** Links with all that `fromRow` needs. */
export function selectUrls(db: Kysely<Schema>) {
  return db
    .selectFrom('urls')
    .leftJoin('domains', 'domains.id', 'urls.domain_id')
    .leftJoin('url_clicks', 'url_clicks.url_id', 'urls.id')
    .selectAll('urls')
    .select(['domains.hostname', 'url_clicks.clicks']);
}

export interface UrlPageOptions {
  /** The links up to which an organization is searched without the index. */
  readonly readWithoutIndex?: number;
  /** The links that are not indexed yet up to which the index is used. */
  readonly maxPending?: number;
  readonly timeoutMs?: number | undefined;
}

export interface UrlPage {
  readonly total: number;
  readonly urls: readonly ShortUrl[];
}

/** One page of links, newest first, and how many there are in all. */
export async function listUrls(
  database: Database,
  organizationId: string,
  filter: ListFilter,
  now: number,
): Promise<UrlPage> {
  const { total, ids } = await readUrlPage(database, organizationId, filter, now);
  if (ids.length === 0) return { total, urls: [] };
  const rows = await selectUrls(database.read)
    .where('urls.id', 'in', ids)
    .orderBy('urls.created_at', 'desc')
    .orderBy('urls.id', 'desc')
    .execute();
  return { total, urls: rows.map(fromRow) };
}

/** The ids of one page, newest first, and how many links there are in all. */
export async function readUrlPage(
  database: Database,
  organizationId: string,
  filter: ListFilter,
  now: number,
  { readWithoutIndex = 20_000, maxPending = 5_000, timeoutMs }: UrlPageOptions = {},
): Promise<ListPage<number>> {
  const condition = conditionOf(filter, now);
  const query: ListQuery = {
    table: 'urls',
    owner: { column: 'organization_id', value: organizationId },
    condition,
    limit: filter.limit,
    offset: filter.offset,
    timeoutMs,
  };
  const searchQuery =
    filter.search === undefined || database.engine !== 'sqlite'
      ? undefined
      : searchQueryOf(foldText(filter.search));
  if (
    searchQuery !== undefined &&
    condition &&
    (await isWorthIndex(database.read, organizationId, { readWithoutIndex, maxPending }))
  ) {
    return searchByIndex(database.read, query, condition, searchQuery);
  }
  return readListPage(database, query);
}

/** Whether a link passes every filter that is set; undefined when none is. */
function conditionOf(filter: ListFilter, now: number): RawBuilder<SqlBool> | undefined {
  const { isActive, category, domainId, tag, search } = filter;
  const conditions: RawBuilder<SqlBool>[] = [];
  if (isActive !== undefined) {
    const active = sql<SqlBool>`(urls.is_active = 1
      and (urls.expires_at is null or urls.expires_at > ${now}))`;
    conditions.push(isActive ? active : sql`not ${active}`);
  }
  if (category !== undefined) conditions.push(sql`urls.category = ${category}`);
  if (domainId !== undefined) conditions.push(sql`urls.domain_id = ${domainId}`);
  if (tag !== undefined) conditions.push(contains('urls.tags', tagNeedle(tag)));
  if (search !== undefined) conditions.push(contains('urls.search_text', foldText(search)));
  return conditions.length === 0 ? undefined : allOf(...conditions);
}

function contains(column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`${sql.ref(column)} like ${pattern} escape '\\'`;
}

/**
 * Whether asking the index, which is of all organizations, costs less than reading the links of this
 * one. Each search also reads the links that are not indexed yet, so there must be few of them.
 */
async function isWorthIndex(
  db: Kysely<Schema>,
  organizationId: string,
  { readWithoutIndex, maxPending }: Required<Omit<UrlPageOptions, 'timeoutMs'>>,
): Promise<boolean> {
  const { rows } = await sql<{ is_large: number; is_indexed: number }>`select
    exists (select 1 from urls where organization_id = ${organizationId}
      limit 1 offset ${readWithoutIndex}) as is_large,
    not exists (select 1 from url_search_pending limit 1 offset ${maxPending}) as is_indexed`.execute(
    db,
  );
  return rows[0]?.is_large === 1 && rows[0].is_indexed === 1;
}

interface Found {
  readonly id: number;
  readonly created_at: number;
}

const firstWindow = 16_384;
const minWindow = 1_024;
const windowMs = 8;

/** Asks the trigram index for a range of ids at a time, each about as long as a slice of a list. */
async function searchByIndex(
  db: Kysely<Schema>,
  { owner, limit, offset, timeoutMs = listTimeoutMs }: ListQuery,
  condition: RawBuilder<SqlBool>,
  searchQuery: string,
): Promise<ListPage<number>> {
  const clock = new ListClock(timeoutMs);
  const matches = sql`cross join urls where urls.organization_id = ${owner.value} and ${condition}`;
  // First, so that a link that is indexed meanwhile is met at least once.
  const found = await clock.run(async () => {
    const { rows } = await sql<Found>`select urls.id, urls.created_at
      from url_search_pending ${matches} and urls.id = url_search_pending.url_id`.execute(db);
    return rows;
  });
  const pending = new Set(found.map(({ id }) => id));
  const { rows: ends } = await sql<{ last: number | null }>`
    select max(id) as last from urls`.execute(db);
  let window = firstWindow;
  let last = ends[0]?.last ?? 0;
  while (last > 0) {
    const startedAt = performance.now();
    const first = last - window;
    await clock.run(async () => {
      const { rows } = await sql<Found>`select urls.id, urls.created_at from url_search ${matches}
        and urls.id = url_search.rowid and url_search match ${searchQuery}
        and url_search.rowid > ${first} and url_search.rowid <= ${last}`.execute(db);
      for (const row of rows) if (!pending.has(row.id)) found.push(row);
    });
    last = first;
    const tookMs = performance.now() - startedAt;
    window = tookMs < windowMs ? window * 2 : Math.max(minWindow, Math.ceil(window / 2));
  }
  found.sort((a, b) => b.created_at - a.created_at || b.id - a.id);
  return {
    total: found.length,
    ids: found.slice(offset, offset + limit).map(({ id }) => id),
  };
}
