import { randomUUID } from 'node:crypto';

const sane = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's id of a request when it is fit for logs and headers, otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) ? header : randomUUID();
}
