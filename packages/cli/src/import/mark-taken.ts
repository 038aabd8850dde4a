import { NotFoundError, type Shorty, type UrlRecord, ValidationError } from '@shorty/sdk';
import { groupIntoPages } from '../group-into-pages.js';
import { readAhead, readExport } from '../read-pages.js';

// Concurrent requests. Low enough to leave the server capacity for other clients.
const concurrency = 8;
// A response of the export has several hundred links, and takes longer than a look-up.
const linksPerLookup = 100;

/** Returns the text that stands for a code on a domain; `''` is the domain of the server. */
export function codeKey(domainId: string, code: string): string {
  return `${domainId}/${code}`;
}

/** The codes of a file, as `codeKey` returns them. True for those that links have already. */
export type FileCodes = Map<string, boolean>;

/**
 * Marks the codes that links have already. Looks up each of them, or exports all links if that is
 * faster. Memory does not grow with the number of links.
 */
export async function markTaken(
  client: Shorty,
  codes: FileCodes,
  request: { readonly signal: AbortSignal },
): Promise<void> {
  if (codes.size === 0) return;
  const { total } = await client.urls.list({ limit: 1 }, request);
  const mark = (record: UrlRecord) => {
    for (const key of keysOf(record)) if (codes.has(key)) codes.set(key, true);
  };
  if (total / linksPerLookup <= codes.size) {
    const pages = readAhead(readExport(client, { format: 'ndjson' }, request));
    for await (const { text } of pages) {
      for (const line of text.split('\n')) if (line !== '') mark(JSON.parse(line));
    }
    return;
  }
  for await (const keys of groupIntoPages(codes.keys(), concurrency)) {
    const found = await Promise.all(
      keys.map((key) => findLinks(client, key.slice(key.indexOf('/') + 1), request)),
    );
    for (const record of found.flat()) mark(record);
  }
}

/** Returns the links with a slug or short code: one on each domain at most. */
async function findLinks(
  client: Shorty,
  code: string,
  request: { readonly signal: AbortSignal },
): Promise<readonly UrlRecord[]> {
  try {
    return [await client.urls.lookup(code, request)];
  } catch (error) {
    if (error instanceof NotFoundError) return [];
    // Links on several domains have the code.
    if (!(error instanceof ValidationError)) throw error;
  }
  const records: UrlRecord[] = [];
  for await (const record of client.urls.list({ view: 'full', search: code }, request)) {
    if ([record.customSlug, record.shortCode].includes(code)) records.push(record);
  }
  return records;
}

function keysOf({ domainId, customSlug, shortCode }: UrlRecord): string[] {
  const keys = customSlug === null ? [shortCode] : [customSlug, shortCode];
  return keys.map((key) => codeKey(domainId ?? '', key));
}
