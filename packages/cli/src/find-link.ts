import type { Shorty, UrlRecord } from '@shorty/sdk';
import { CliError } from './cli-error.js';
import { findOrUndefined } from './find-each.js';
import { parseUrl } from './parse-url.js';

// The exact match is among the first results: a search for a whole slug finds few links.
const maxCandidates = 1000;

/** Finds a link by its id, its short URL, its custom slug or its short code. */
export async function findLink(
  client: Shorty,
  text: string,
  request: { readonly signal: AbortSignal },
): Promise<UrlRecord> {
  if (/^[1-9]\d{0,15}$/.test(text)) {
    const link = await findOrUndefined((id) => client.urls.get(id, request), text);
    if (link) return link;
  }
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  const key = url ? decodeURIComponent(url.pathname.slice(1).replace(/\/$/, '')) : text;
  let candidates = 0;
  for await (const item of client.urls.list({ search: key }, request)) {
    const isKey = item.customSlug === key || item.shortCode === key;
    if (isKey && (!url || parseUrl(item.shortUrl)?.host === url.host)) {
      return client.urls.get(item.id, request);
    }
    if (++candidates === maxCandidates) break;
  }
  throw new CliError(`no link has the id, short URL, slug or code ${JSON.stringify(text)}`, {
    code: 'NOT_FOUND',
    hint: 'shorty urls list --search TEXT finds links by title and target',
  });
}
