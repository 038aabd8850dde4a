import type { IncomingMessage } from 'node:http';
import { validationError } from '../contract/api-error.js';
import { parseUrl } from '../network/parse-url.js';

/**
 * Whether a request says plainly what it is for: a path and one host. Two Host lines arrive here as
 * one with a comma, which no host has.
 */
export function isPlain({ url, headers: { host } }: IncomingMessage): boolean {
  return url?.charCodeAt(0) === 0x2f && host !== undefined && !host.includes(',');
}

/**
 * Whether a target has a backslash in its path or a fragment. RFC 9112 allows neither, and parsers
 * disagree: some read `/a\\b#` as `/a/b`, so a proxy's rule for `/a/b` would not see it.
 */
export function isAmbiguous({ url = '' }: IncomingMessage): boolean {
  return /^[^?]*\\|#/.test(url);
}

/**
 * Makes a request plain as RFC 9112 §3.2 says; throws VALIDATION_FAILED for one that could be read
 * in two ways, of which a proxy in between may have chosen the other.
 */
export function makePlain(request: IncomingMessage): void {
  const { url = '', headers, method, httpVersion } = request;
  // §3.2: from HTTP/1.1 on there is exactly one; HTTP/1.0 knew none, and HTTP/0.9 no headers.
  const isMissing = headers.host === undefined && httpVersion !== '1.0';
  if (isMissing || headers.host?.includes(',')) {
    throw validationError([{ path: 'Host', message: 'must come exactly once' }]);
  }
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return;
  // §3.2.2: the host of an absolute target counts, and the Host header does not. Its path is taken
  // as it is, so that both forms of a target are routed alike: a URL parser would resolve dots.
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?#\\]+)(.*)$/is.exec(url) ?? [];
  const parsed = parseUrl(origin);
  if (parsed === undefined || parsed.username + parsed.password !== '') {
    throw validationError([{ path: 'path', message: 'must be a path or a URL' }]);
  }
  request.url = path.startsWith('/') ? path : `/${path}`;
  headers.host = parsed.host;
}
