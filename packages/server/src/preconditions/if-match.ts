import { type RawBuilder, sql } from 'kysely';
import { ApiError, invalidField } from '../contract/api-error.js';
import type { Route } from '../contract/define-route.js';

/** The `If-Match` of a request: any version of the record, or the ETags of some. */
export type IfMatch = '*' | readonly string[];

export function takesIfMatch({ hasVersions, method }: Route): boolean {
  return hasVersions === true && (method === 'patch' || method === 'delete');
}

const maxHeaderLength = 4_096;
const listOfTags = /^(?:W\/)?"[^"]*"(?:[ \t]*,[ \t]*(?:W\/)?"[^"]*")*$/;

/** Returns the `If-Match` of a request; undefined for a route that takes none. */
export function readIfMatch(route: Route, header: string | undefined): IfMatch | undefined {
  if (header === undefined || !takesIfMatch(route)) return undefined;
  const text = header.trim();
  if (text === '*') return '*';
  if (text.length <= maxHeaderLength && listOfTags.test(text)) {
    return text.match(/(?:W\/)?"[^"]*"/g) ?? [];
  }
  throw invalidField('If-Match', 'must be *, or ETags in double quotes, separated by commas');
}

/**
 * Returns the ETag of a record's version. It identifies what clients can change: counters of clicks and
 * scans do not change it.
 */
export function etagOf(updatedAt: number): string {
  return `"${updatedAt.toString(36)}"`;
}

/** Throws PRECONDITION_FAILED if the record is not of a version that the caller has read. */
export function checkIfMatch(ifMatch: IfMatch | undefined, updatedAt: number): void {
  if (ifMatch === undefined || ifMatch === '*') return;
  const etag = etagOf(updatedAt);
  // RFC 9110 §13.1.1 requires the strong comparison, so a weak tag never matches.
  if (ifMatch.includes(etag)) return;
  const advice = ifMatch.includes(`W/${etag}`)
    ? `a weak ETag never matches. A proxy that compresses responses weakened it; send ${etag}`
    : `the record was changed at ${new Date(updatedAt).toISOString()}, after it was read. Read it again, and repeat the change with its ETag`;
  const headers = { ETag: etag };
  throw new ApiError('PRECONDITION_FAILED', `If-Match does not match: ${advice}`, { headers });
}

/** Returns the time of a change. It is later than the change before, so each version has its own. */
export function nextUpdatedAt(before: number, now: number): number {
  return Math.max(now, before + 1);
}

/** The same as `nextUpdatedAt`, for the column `updated_at` in an update of several rows. */
export function nextUpdatedAtOfRow(now: number): RawBuilder<number> {
  return sql<number>`case when updated_at < ${now} then ${now} else updated_at + 1 end`;
}
