import type { GuardedFetch } from '../network/guarded-fetch.js';
import { GuardedFetchError } from '../network/guarded-fetch-error.js';
import type { LinkPreview } from '../urls/link-preview.js';
import { version } from '../version.js';
import { decodePage, mediaTypeOf } from './decode-page.js';
import { acceptedEncodings, decompress } from './decompress.js';
import { readPageMetadata } from './page-metadata.js';

/** The preview of a target, or why there is none, and whether another attempt may succeed. */
export type FetchedPreview =
  | { readonly preview: LinkPreview }
  | { readonly error: string; readonly isFinal: boolean };

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
  'accept-encoding': acceptedEncodings,
  'user-agent': `Mozilla/5.0 (compatible; Shorty-LinkPreview/${version})`,
};
// They say that the server may answer differently later (RFC 9110 and RFC 6585).
const temporaryStatuses = new Set([408, 425, 429]);
const finalReasons = new Set(['bad_url', 'forbidden_address']);

/** Reads the target of a link for its preview, through the guarded fetch. */
export async function fetchPreview(
  guardedFetch: Pick<GuardedFetch, 'request'>,
  targetUrl: string,
): Promise<FetchedPreview> {
  const response = await guardedFetch
    .request(targetUrl, { method: 'GET', headers, ...limits })
    .catch((error: unknown) => {
      if (!(error instanceof GuardedFetchError)) throw error;
      return error;
    });
  if (response instanceof GuardedFetchError) {
    return { error: response.message, isFinal: finalReasons.has(response.reason) };
  }
  const { status, body, url, headers: received } = response;
  if (status !== 200) {
    const isFinal = status < 500 && !temporaryStatuses.has(status);
    return failure(`The target responded with ${status} instead of 200`, isFinal);
  }
  const contentType = received['content-type'] ?? '';
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === undefined || !pageTypes.includes(mediaType)) {
    return failure(`The target is ${mediaType ?? 'of an unknown type'}, not text/html`);
  }
  const encoding = received['content-encoding'] ?? 'identity';
  const page = await decompress(body, encoding, limits.maxResponseBytes);
  if (page === undefined) {
    return failure(`The target sent a body that cannot be read as ${encoding.slice(0, 20)}`);
  }
  const preview = await readPageMetadata(decodePage(page, contentType), url);
  return preview ? { preview } : failure('The target has no title');
}

function failure(error: string, isFinal = true): FetchedPreview {
  return { error, isFinal };
}
