import { NotFoundError, type Shorty, type UrlRecord, ValidationError } from '@shorty/sdk';
import { groupIntoPages } from '../group-into-pages.js';

// Concurrent requests. Low enough to leave the server capacity for other clients.
const concurrency = 8;
const linksOnPage = 100;

/** Returns the text that stands for a slug on a domain; `''` is the domain of the server. */
export function slugKey(domainId: string, slug: string): string {
  return `${domainId}/${slug}`;
}

/**
 * Returns the slugs that links have already. Looks up each of them, or reads all links if these are
 * fewer requests. Memory grows with `wanted` only.
 */
export async function findTaken(
  client: Shorty,
  wanted: ReadonlySet<string>,
  request: { readonly signal: AbortSignal },
): Promise<ReadonlySet<string>> {
  if (wanted.size === 0) return wanted;
  const { total } = await client.urls.list({ limit: 1 }, request);
  const taken = new Set<string>();
  const add = (record: UrlRecord) => {
    for (const key of keysOf(record)) if (wanted.has(key)) taken.add(key);
  };
  if (total / linksOnPage <= wanted.size) {
    for await (const record of client.urls.list({ view: 'full' }, request)) add(record);
    return taken;
  }
  for await (const keys of groupIntoPages(wanted, concurrency)) {
    const found = await Promise.all(
      keys.map((key) => findLinks(client, key.slice(key.indexOf('/') + 1), request)),
    );
    for (const record of found.flat()) add(record);
  }
  return taken;
}

/** Returns the links with a slug or code: one on each domain at most. */
async function findLinks(
  client: Shorty,
  slug: string,
  request: { readonly signal: AbortSignal },
): Promise<readonly UrlRecord[]> {
  try {
    return [await client.urls.lookup(slug, request)];
  } catch (error) {
    if (error instanceof NotFoundError) return [];
    // Links on several domains have the slug.
    if (!(error instanceof ValidationError)) throw error;
  }
  const records: UrlRecord[] = [];
  for await (const record of client.urls.list({ view: 'full', search: slug }, request)) {
    if ([record.customSlug, record.shortCode].includes(slug)) records.push(record);
  }
  return records;
}

function keysOf({ domainId, customSlug, shortCode }: UrlRecord): string[] {
  const slugs = customSlug === null ? [shortCode] : [customSlug, shortCode];
  return slugs.map((slug) => slugKey(domainId ?? '', slug));
}
