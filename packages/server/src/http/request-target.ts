import type { IncomingMessage } from 'node:http';
import { validationError } from '../contract/api-error.js';
import { parseUrl } from '../net/parse-url.js';

/**
 * Whether a request says plainly what it is for: a path and one host. Two Host lines arrive here as
 * one with a comma, which no host has.
 */
export function isPlain({ url, headers: { host } }: IncomingMessage): boolean {
  return url?.charCodeAt(0) === 0x2f && host !== undefined && !host.includes(',');
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
  // §3.2.2: the host of an absolute target counts, and the Host header does not.
  const target = /^https?:\/\//i.test(url) ? parseUrl(url) : undefined;
  if (target === undefined || target.username + target.password !== '') {
    throw validationError([{ path: 'path', message: 'must be a path or a URL' }]);
  }
  request.url = target.pathname + target.search;
  headers.host = target.host;
}
