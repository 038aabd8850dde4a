import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';
import {
  allOf,
  isAfter,
  ListClock,
  type ListRow,
  listTimeoutMs,
  toListPage,
} from '../list-page.js';
import type { ListPage, ListQuery } from '../list-query.js';
import { searchQueriesOf } from './search-index.js';

/**
 * Reads one page of a search by the index. Returns undefined when a scan of the organization's links is
 * faster.
 */
export async function readSearchPage(
  db: Kysely<Schema>,
  query: ListQuery,
): Promise<ListPage<number> | undefined> {
  const { owner, search, timeoutMs = listTimeoutMs } = query;
  if (!search) return undefined;
  const { text, readWithoutIndex = 20_000, maxCandidates = 10_000 } = search;
  const organizationId = String(owner.value);
  if (!(await hasMoreUrls(db, organizationId, readWithoutIndex))) return undefined;
  const clock = new ListClock(timeoutMs);
  const candidates = await findCandidates(db, organizationId, text, maxCandidates, clock);
  return candidates && readCandidates(db, query, candidates, clock);
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
 * that are not indexed yet. Returns undefined when a scan of the organization's links is faster: the
 * text is too short for the index, or either group has more than `max` links.
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
  const queries = searchQueriesOf(organizationId, text, ends[0]?.maxId ?? 0);
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

/** Returns the page of those candidates that match. Reads them in slices. */
async function readCandidates(
  db: Kysely<Schema>,
  query: ListQuery,
  candidates: readonly number[],
  clock: ListClock,
): Promise<ListPage<number>> {
  const { owner, condition, limit, offset, after } = query;
  const found: (ListRow & { readonly id: number })[] = [];
  const isListed = allOf(condition ?? sql`true`, after ? isAfter(query, after) : sql`true`);
  for (let at = 0, end = 0; at < candidates.length; at = end) {
    end = at + clock.rowsAtOnce;
    const ids = JSON.stringify(candidates.slice(at, end));
    await clock.run(async () => {
      const { rows } = await sql<(typeof found)[number]>`select urls.created_at as key, urls.id
        from json_each(${ids}) as candidates cross join urls on urls.id = candidates.value
        where urls.organization_id = ${owner.value} and ${isListed}`.execute(db);
      for (const row of rows) found.push(row);
    });
  }
  found.sort((a, b) => b.key - a.key || b.id - a.id);
  const rows = found.slice(offset, offset + limit + 1);
  return toListPage(rows, limit, after ? undefined : found.length);
}
