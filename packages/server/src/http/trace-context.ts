import type { IncomingMessage } from 'node:http';

// Version 00 has exactly these four fields. Later versions may append others, and ff is invalid.
const traceparent =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-|$)/;
const exactLength = 55;

// The ids of the traces that the server exports spans to.
const traceIds = new WeakMap<object, string>();

/** Sets the trace that a request belongs to. */
export function noteTraceId(request: IncomingMessage, traceId: string): void {
  traceIds.set(request, traceId);
}

/**
 * Returns the id of the trace that a request belongs to: the noted one, or else that of the header
 * `traceparent` (W3C Trace Context). Undefined without a valid one.
 */
export function traceIdOf(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const noted = traceIds.get(request);
  if (noted !== undefined) return noted;
  const { traceparent: header } = request.headers;
  if (typeof header !== 'string') return undefined;
  if (header.startsWith('00') && header.length !== exactLength) return undefined;
  return traceparent.exec(header)?.[1];
}
