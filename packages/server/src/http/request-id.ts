import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const sane = /^[A-Za-z0-9._:-]{1,128}$/;

// A random prefix for this process and a count: as unique as a UUID, at a fraction of its cost on
// every redirect.
const prefix = randomBytes(9).toString('base64url');
let count = 0;

/** The caller's id of a request when it is fit for logs and headers, otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  if (typeof header === 'string' && sane.test(header)) return header;
  count += 1;
  return `${prefix}.${count}`;
}

/** The id of a failed request; whatever asks again gets the same, so that log and response agree. */
export function stableRequestIdOf({ headers }: IncomingMessage): string {
  const requestId = requestIdOf(headers['x-request-id']);
  headers['x-request-id'] = requestId;
  return requestId;
}
