import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';
import {
  allOf,
  isAfter,
  keyOf,
  ListClock,
  type ListRow,
  listTimeoutMs,
  SortedRows,
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
  if (!search || !owner) return undefined;
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
  const { owner, indexed, condition, after } = query;
  const sorted = new SortedRows(query);
  const given = [indexed, condition, after && isAfter(query, after)];
  const isListed = allOf(
    sql`urls.organization_id = ${owner?.value}`,
    ...given.filter((each) => each !== undefined),
  );
  for (let at = 0, end = 0; at < candidates.length; at = end) {
    end = at + clock.rowsAtOnce;
    const ids = JSON.stringify(candidates.slice(at, end));
    await clock.run(async () => {
      const { rows } = await sql<ListRow>`select ${keyOf(query)} as key, urls.id
        from json_each(${ids}) as candidates cross join urls on urls.id = candidates.value
        where ${isListed}`.execute(db);
      sorted.add(rows);
    });
  }
  return sorted.toPage();
}
