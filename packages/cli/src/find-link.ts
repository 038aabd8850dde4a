import type { Shorty, UrlRecord } from '@shorty/sdk';
import { findOrUndefined } from './find-each.js';

interface Request {
  readonly signal: AbortSignal;
}

const isId = /^[1-9]\d{0,15}$/;

/** Finds a link by its id, short URL, custom slug or short code. */
export async function findLink(client: Shorty, text: string, request: Request): Promise<UrlRecord> {
  // A slug may consist of digits, too.
  const link = isId.test(text)
    ? await findOrUndefined((id) => client.urls.get(id, request), text)
    : undefined;
  return link ?? lookUp(client, text, request);
}

/** Returns the id of a link. A number is an id, and the link is not read. */
export async function findLinkId(client: Shorty, text: string, request: Request): Promise<string> {
  return isId.test(text) ? text : (await lookUp(client, text, request)).id;
}

async function lookUp(client: Shorty, shortUrl: string, request: Request): Promise<UrlRecord> {
  return client.request('GET', '/api/v1/urls/lookup', { query: { shortUrl } }, request);
}
