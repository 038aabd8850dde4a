import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Schema } from '../storage/database.js';
import { allOf, ListClock, listTimeoutMs } from '../storage/list-page.js';
import type { ListPage, ListQuery } from '../storage/list-query.js';
import { foldText } from '../storage/search-text.js';
import { searchQueriesOf } from '../storage/sqlite/search-index.js';
import type { ShortUrl } from './short-url.js';
import { fromRow, tagTextOf } from './url-row.js';

export interface UrlFilter {
  readonly limit: number;
  readonly offset: number;
  readonly isActive?: boolean | undefined;
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  readonly category?: string | undefined;
  readonly domainId?: string | undefined;
}

/** Selects all columns that `fromRow` needs. */
export function selectUrls(db: Kysely<Schema>) {
  return db
    .selectFrom('urls')
    .leftJoin('domains', 'domains.id', 'urls.domain_id')
    .leftJoin('url_clicks', 'url_clicks.url_id', 'urls.id')
    .selectAll('urls')
    .select(['domains.hostname', 'url_clicks.clicks']);
}

export interface UrlPageOptions {
  /** An organization with at most this many links is searched without the index. */
  readonly readWithoutIndex?: number;
  /** A search that finds more candidates in the index, or more pending links, reads without the index. */
  readonly maxCandidates?: number;
  readonly timeoutMs?: number | undefined;
}

export interface UrlPage {
  readonly total: number;
  readonly urls: readonly ShortUrl[];
}

/** Returns one page of links, newest first, and the number of all matches. */
export async function listUrls(
  database: Database,
  organizationId: string,
  filter: UrlFilter,
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

/** Returns the ids of one page, newest first, and the number of all matches. */
export async function readUrlPage(
  database: Database,
  organizationId: string,
  filter: UrlFilter,
  now: number,
  { readWithoutIndex = 20_000, maxCandidates = 10_000, timeoutMs }: UrlPageOptions = {},
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
  if (filter.search !== undefined && condition && database.engine === 'sqlite') {
    const { read } = database;
    const clock = new ListClock(timeoutMs ?? listTimeoutMs);
    const isLarge = await hasMoreUrls(read, organizationId, readWithoutIndex);
    const candidates =
      isLarge && (await findCandidates(read, organizationId, filter.search, maxCandidates, clock));
    if (candidates) return readCandidates(read, query, condition, candidates, clock);
  }
  return database.readListPage(query);
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

async function hasMoreUrls(
  db: Kysely<Schema>,
  organizationId: string,
  count: number,
): Promise<boolean> {
  const { rows } = await sql`select 1 from urls
    where organization_id = ${organizationId} limit 1 offset ${count}`.execute(db);
  return rows.length > 0;
}

/**
 * Returns the links of an organization that may contain a text: those that the index finds, and those
 * that are not indexed yet. Returns undefined when the text is too short for the index, or when either
 * group has more than `max` links; a scan of the organization's links is faster then.
 */
async function findCandidates(
  db: Kysely<Schema>,
  organizationId: string,
  text: string,
  max: number,
  clock: ListClock,
): Promise<readonly number[] | undefined> {
  const { rows: ends } = await sql<{ maxId: number | null }>`
    select max(id) as "maxId" from urls`.execute(db);
  const queries = searchQueriesOf(organizationId, foldText(text), ends[0]?.maxId ?? 0);
  if (!queries) return undefined;
  // Read before the index, so a link that is indexed in between is in at least one result.
  const { rows: pending } = await sql<{ id: number }>`
    select url_id as id from url_search_pending
    where organization_id = ${organizationId} limit ${max + 1}`.execute(db);
  if (pending.length > max) return undefined;
  const candidates = new Set(pending.map(({ id }) => id));
  for (const query of queries) {
    const { rows } = await clock.run(() =>
      sql<{ id: number }>`select rowid as id from url_search where url_search match ${query}
        limit ${max + 1}`.execute(db),
    );
    for (const { id } of rows) candidates.add(id);
    if (candidates.size > pending.length + max) return undefined;
  }
  return [...candidates];
}

// One slice takes about a millisecond.
const candidatesAtOnce = 1_000;

/** Returns the page of those candidates that match, and reads them in slices. */
async function readCandidates(
  db: Kysely<Schema>,
  { owner, limit, offset }: ListQuery,
  condition: RawBuilder<SqlBool>,
  candidates: readonly number[],
  clock: ListClock,
): Promise<ListPage<number>> {
  const found: { readonly id: number; readonly created_at: number }[] = [];
  for (let at = 0; at < candidates.length; at += candidatesAtOnce) {
    const ids = JSON.stringify(candidates.slice(at, at + candidatesAtOnce));
    await clock.run(async () => {
      const { rows } = await sql<(typeof found)[number]>`select urls.id, urls.created_at
        from json_each(${ids}) as candidates cross join urls on urls.id = candidates.value
        where urls.organization_id = ${owner.value} and ${condition}`.execute(db);
      for (const row of rows) found.push(row);
    });
  }
  found.sort((a, b) => b.created_at - a.created_at || b.id - a.id);
  return {
    total: found.length,
    ids: found.slice(offset, offset + limit).map(({ id }) => id),
  };
}
