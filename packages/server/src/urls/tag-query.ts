import { sql } from 'kysely';
import type { Page } from '../contract/fields.js';
import type { Database } from '../storage/database.js';
import { isWithin } from '../storage/link-restriction.js';
import { type ListPage, readListPage } from '../storage/list-page.js';
import { foldText } from '../storage/search-text.js';
import { parseTags } from '../storage/tag-text.js';
import type { Tag, TagFilter } from './tag-contract.js';
import type { UrlFilter } from './url-contract.js';
import { urlListQuery } from './url-query.js';

/** The most different tags that a list reads. Takes about 20 ms to sort. */
export const maxListedTags = 20_000;

// Different values of `urls.tags` in memory.
const textsAtOnce = 50_000;

/**
 * Returns one page of tags. Reads the tags of all links within the restriction. Returns undefined
 * if more than `maxListedTags` different tags match.
 */
export async function listTags(
  database: Pick<Database, 'read'>,
  organizationId: string,
  filter: TagFilter,
): Promise<Page<Tag> | undefined> {
  const { search, order, limit, offset, after, restriction } = filter;
  const term = search === undefined ? '' : foldText(search);
  const counts = new Map<string, number>();
  let last = '';
  for (let isComplete = false; !isComplete; ) {
    // Most links have the tags of many others.
    const { rows } = await sql<{ tags: string; links: number }>`
      select tags, count(*) as links from urls
      where organization_id = ${organizationId} and tags > ${last} and ${isWithin(restriction)}
      group by tags order by tags limit ${textsAtOnce}`.execute(database.read);
    for (const { tags, links } of rows) {
      for (const name of new Set(parseTags(tags))) {
        const count = counts.get(name);
        if (count !== undefined || foldText(name).includes(term)) {
          counts.set(name, (count ?? 0) + Number(links));
        }
      }
    }
    if (counts.size > maxListedTags) return undefined;
    isComplete = rows.length < textsAtOnce;
    last = rows.at(-1)?.tags ?? '';
  }
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: string, b: string) => sign * (a < b ? -1 : Number(a > b));
  const tags = [...counts]
    .map(([name, linkCount]) => ({ name, linkCount, sortText: sortTextOf(name) }))
    .sort((a, b) => compare(a.sortText, b.sortText));
  const position = after && sortTextOf(String(after[1]));
  const isAfter = (tag: { sortText: string }) => compare(tag.sortText, position as string) > 0;
  const start = position === undefined ? offset : tags.findIndex(isAfter);
  const from = start < 0 ? tags.length : start;
  const items = tags.slice(from, from + limit).map(({ sortText: _, ...tag }) => tag);
  const lastItem = from + limit < tags.length ? items.at(-1) : undefined;
  const next = lastItem && ([0, lastItem.name] as const);
  return { total: after ? undefined : tags.length, items, next };
}

/** Returns the text by which names are sorted: without regard to case at first. */
function sortTextOf(name: string): string {
  return `${foldText(name)}\n${name}`;
}

export type TaggedLinks = Pick<UrlFilter, 'tag' | 'restriction' | 'limit' | 'after'>;

/** Returns up to `limit` ids of links with a tag, newest first, starting after a position. */
export function findTagged(
  database: Database,
  organizationId: string,
  // By default before every link. A list that starts after a position does not count its rows.
  { after = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], ...links }: TaggedLinks,
): Promise<ListPage<number>> {
  const filter = { ...links, offset: 0, after };
  return readListPage(database, urlListQuery(organizationId, filter, 0));
}
