import type { IncomingMessage } from 'node:http';

// Version 00 has exactly these four fields. Later versions may append others, and ff is invalid.
const traceparent =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-|$)/;
const exactLength = 55;

/**
 * Returns the id of the trace that a request belongs to, by the header `traceparent` (W3C Trace
 * Context). Undefined without a valid one.
 */
export function traceIdOf(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const { traceparent: header } = request.headers;
  if (typeof header !== 'string') return undefined;
  if (header.startsWith('00') && header.length !== exactLength) return undefined;
  return traceparent.exec(header)?.[1];
}
