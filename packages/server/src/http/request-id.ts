import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const validId = /^[A-Za-z0-9._:-]{1,128}$/;

// A random prefix of this process and a number. A UUID would take a fifth of the time of a redirect.
const prefix = randomBytes(9).toString('base64url');
let count = 0;

/** Returns the client's request id when it is valid, otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  if (typeof header === 'string' && validId.test(header)) return header;
  count += 1;
  return `${prefix}.${count}`;
}

/** Returns the id of a failed request. Later calls return the same id, so log and response agree. */
export function stableRequestIdOf({ headers }: IncomingMessage): string {
  const requestId = requestIdOf(headers['x-request-id']);
  headers['x-request-id'] = requestId;
  return requestId;
}
