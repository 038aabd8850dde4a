import type { IncomingMessage } from 'node:http';
import { validationError } from '../contract/api-error.js';

/**
 * Whether a request says plainly what it is for: a path, and one host at most. Two Host lines
 * arrive here as one with a comma, which no host has.
 */
export function isPlain({ url, headers }: IncomingMessage): boolean {
  return url?.charCodeAt(0) === 0x2f && !headers.host?.includes(',');
}

/**
 * Makes a request plain as RFC 9112 §3.2 says; throws VALIDATION_FAILED for one that could be read
 * in two ways, of which a proxy in between may have chosen the other.
 */
export function makePlain(request: IncomingMessage): void {
  const { url = '', headers, method } = request;
  if (headers.host?.includes(',')) {
    throw validationError([{ path: 'Host', message: 'must come once' }]);
  }
  if (url === '*' && method === 'OPTIONS') return;
  // §3.2.2: the host of an absolute target counts, and the Host header does not.
  const target = /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  if (!target || target.username !== '' || target.password !== '') {
    throw validationError([{ path: 'path', message: 'must be a path or a URL' }]);
  }
  request.url = target.pathname + target.search;
  headers.host = target.host;
}
