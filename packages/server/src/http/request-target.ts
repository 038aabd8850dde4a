import type { IncomingMessage } from 'node:http';
import { invalidField } from '../contract/api-error.js';
import { parseUrl } from '../network/parse-url.js';

/**
 * Sets the path and the host of a request by RFC 9112 §3.2. Throws VALIDATION_FAILED for a request
 * that a proxy may have read differently.
 */
export function normalizeTarget(request: IncomingMessage): void {
  const { url = '', headers, method, httpVersion } = request;
  // §3.2: HTTP/1.1 requires exactly one Host header. HTTP/1.0 requires none. Node joins two Host headers
  // with a comma, which no host contains.
  const isMissing = headers.host === undefined && httpVersion !== '1.0';
  if (isMissing || headers.host?.includes(',')) {
    throw invalidField('Host', 'must be sent exactly once');
  }
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return;
  // §3.2.2: the host of an absolute target replaces the Host header. The path is not parsed as a URL,
  // because that would resolve its dots, and both forms of a target must be routed alike.
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?#\\]+)(.*)$/is.exec(url) ?? [];
  const parsed = parseUrl(origin);
  if (parsed === undefined || parsed.username + parsed.password !== '') {
    throw invalidField('path', 'must be a path or a URL');
  }
  request.url = path.startsWith('/') ? path : `/${path}`;
  headers.host = parsed.host;
}

// The escapes of letters, digits, `-`, `.`, `_` and `~`.
const unreserved = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/gi;

/**
 * Decodes the escapes that RFC 3986 §6.2.2.2 treats as their characters: `a%2Db` is `a-b`. Other escapes
 * stay, such as that of a slash, which separates no segments.
 */
export function decodeUnreserved(segment: string): string {
  return segment.includes('%') ? segment.replace(unreserved, decodeURIComponent) : segment;
}
