import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const validId = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the client's request id when it is valid, otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && validId.test(header) ? header : randomUUID();
}

/** Returns the id of a failed request. Later calls return the same id, so log and response agree. */
export function stableRequestIdOf({ headers }: IncomingMessage): string {
  const requestId = requestIdOf(headers['x-request-id']);
  headers['x-request-id'] = requestId;
  return requestId;
}
