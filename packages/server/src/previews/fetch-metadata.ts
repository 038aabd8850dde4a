import { constants, createGunzip } from 'node:zlib';
import { GuardedFetchError } from '../network/guarded-connector.js';
import type { GuardedFetch } from '../network/guarded-fetch.js';
import type { LinkPreview } from '../urls/link-preview.js';
import { version } from '../version.js';
import { decodePage, mediaTypeOf } from './decode-page.js';
import { readPageMetadata } from './page-metadata.js';

export type FetchedMetadata = LinkPreview | { readonly error: string };

// Pages have their metadata at the beginning. What arrives of it within the time suffices.
const limits = {
  timeoutMs: 5_000,
  bodyTimeoutMs: 3_000,
  maxResponseBytes: 256 * 1024,
  followRedirects: 5,
};
const pageTypes = ['text/html', 'application/xhtml+xml'];
const headers = {
  accept: 'text/html, application/xhtml+xml',
  'accept-encoding': 'identity',
  'user-agent': `Mozilla/5.0 (compatible; Shorty-LinkPreview/${version})`,
};

export async function fetchMetadata(
  guardedFetch: Pick<GuardedFetch, 'request'>,
  pageUrl: string,
): Promise<FetchedMetadata> {
  const response = await guardedFetch
    .request(pageUrl, { method: 'GET', headers, ...limits })
    .catch((error: unknown) => {
      if (!(error instanceof GuardedFetchError)) throw error;
      return error;
    });
  if (response instanceof GuardedFetchError) return { error: response.message };
  const { status, body, url, headers: received } = response;
  if (status !== 200) return { error: `The page responded with ${status} instead of 200` };
  const contentType = received['content-type'] ?? '';
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === undefined || !pageTypes.includes(mediaType)) {
    return { error: `The page is ${mediaType ?? 'of an unknown type'}, not text/html` };
  }
  const encoding = received['content-encoding']?.toLowerCase() || 'identity';
  const page = encoding === 'identity' ? body : await decompress(body, encoding);
  if (page === undefined) {
    return { error: `The page has a body that cannot be read as ${encoding.slice(0, 20)}` };
  }
  const metadata = await readPageMetadata(decodePage(page, contentType), url);
  return metadata ?? { error: 'The page has no title' };
}

/**
 * Returns the beginning of a page that a server has compressed only, whatever size it claims. Returns
 * undefined if it is not gzip.
 */
async function decompress(body: Uint8Array, encoding: string): Promise<Uint8Array | undefined> {
  if (encoding !== 'gzip') return undefined;
  const { maxResponseBytes } = limits;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // A body that was cut is read as far as it goes.
  const stream = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  stream.end(body);
  try {
    for await (const part of stream as AsyncIterable<Uint8Array>) {
      parts.push(part);
      bytes += part.length;
      // Ending the loop destroys the stream.
      if (bytes >= maxResponseBytes) break;
    }
  } catch {
    if (bytes === 0) return undefined;
  }
  return Buffer.concat(parts).subarray(0, maxResponseBytes);
}
