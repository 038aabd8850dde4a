import { MIMEType, TextDecoder } from 'node:util';
import sniffEncoding from 'html-encoding-sniffer';
import type { z } from 'zod';
import { GuardedFetchError } from '../network/guarded-connector.js';
import type { GuardedFetch } from '../network/guarded-fetch.js';
import { version } from '../version.js';
import type { pageMetadata } from './metadata-contract.js';
import { readPageMetadata } from './page-metadata.js';

export type FetchedMetadata = z.input<typeof pageMetadata>;

const failure = (error: string) => ({ title: null, description: null, imageUrl: null, error });

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
  if (response instanceof GuardedFetchError) return failure(response.message);
  const { status, body, url, headers: received } = response;
  if (status !== 200) return failure(`The page responded with ${status} instead of 200`);
  const contentType = received['content-type'] ?? '';
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === undefined || !pageTypes.includes(mediaType)) {
    return failure(`The page is ${mediaType ?? 'of an unknown type'}, not text/html`);
  }
  const encoding = received['content-encoding']?.toLowerCase() || 'identity';
  if (encoding !== 'identity') {
    return failure(`The page is compressed as ${encoding.slice(0, 20)}, which was not asked for`);
  }
  const metadata = await readPageMetadata(decodePage(body, contentType), url);
  return metadata ? { ...metadata, error: null } : failure('The page has no title');
}

/**
 * Returns the text of an HTML document. Its character encoding is found as the HTML standard says: by its
 * byte order mark, the header, or a `meta` element; otherwise it is UTF-8.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const type = parseMediaType(contentType);
  const encoding = sniffEncoding(bytes, {
    xml: type?.essence === 'application/xhtml+xml',
    transportLayerEncodingLabel: type?.params.get('charset') ?? undefined,
    defaultEncoding: 'UTF-8',
  });
  // `stream` drops a character that is cut off at the end.
  return decoderOf(encoding).decode(bytes, { stream: true });
}

/** Returns the media type of a `Content-Type` header in lower case; undefined if it is not valid. */
export function mediaTypeOf(contentType: string): string | undefined {
  return parseMediaType(contentType)?.essence;
}

function parseMediaType(contentType: string): MIMEType | undefined {
  try {
    return new MIMEType(contentType);
  } catch {
    return undefined;
  }
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding);
  } catch {
    // Node has no decoder for `replacement` and `x-user-defined`, which no page should have.
    return new TextDecoder('windows-1252');
  }
}
