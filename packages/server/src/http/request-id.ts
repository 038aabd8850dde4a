import { randomBytes } from 'node:crypto';

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
