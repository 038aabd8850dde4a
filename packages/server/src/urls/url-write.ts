import type { ErrorDetail } from '../contract/errors.js';
import type { AuditTarget } from '../idempotency/audit-entry.js';
import type { WriteRequest } from '../idempotency/with-idempotency-key.js';
import type { IfMatch } from '../preconditions/if-match.js';
import type { Database } from '../storage/database.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import type { ShortUrl } from './short-url.js';
import type { Refusal, Refused } from './url-refusals.js';

export interface WriteContext {
  readonly organizationId: string;
  readonly now: number;
  readonly write: WriteRequest | undefined;
  /** The versions that the caller accepts, for a change of one link; undefined accepts any. */
  readonly ifMatch?: IfMatch | undefined;
}

export interface CreateContext extends WriteContext {
  readonly newShortCode: () => string;
}

/** The outcome of one item, which is stored with the idempotency key. */
export type CreateOutcome =
  | {
      readonly status: 'created';
      readonly id: number;
      readonly shortCode: string;
      /** The hostname of the custom domain; undefined on the platform's domain. */
      readonly hostname: string | undefined;
    }
  | {
      /** The link existed, and `ifExists` asked for it. */
      readonly status: 'existing';
      readonly id: number;
      readonly shortCode: string;
      readonly hostname: string | undefined;
      readonly customSlug: string | null;
      readonly createdAt: number;
    }
  | Refused<Exclude<Refusal, 'not-found'>>
  | { readonly status: 'invalid'; readonly error: string };

/** The stored result of an upsert. */
export type UpsertOutcome<Presented> =
  | { readonly status: 'created'; readonly presented: Presented }
  | Refused
  | UpdateOutcome<Presented>;

/** The stored result of a create. It omits the fields that a repeated request contains. */
export interface Creation {
  readonly createdAt: number;
  readonly outcomes: readonly CreateOutcome[];
}

/** The outcome of one change, which is stored with the idempotency key. */
export type UpdateOutcome<Presented> =
  | { readonly status: 'updated'; readonly presented: Presented }
  | RefusedUpdate;

export type RefusedUpdate = Refused | { readonly status: 'refused'; readonly error: ErrorDetail };

/** A link after a change, and before it. */
export interface ChangedUrl {
  readonly before: ShortUrl;
  readonly url: ShortUrl;
}

/** Returns what the audit log says about changed links; null if there are none. */
export function auditOf(ids: readonly number[]): AuditTarget | null {
  const changed = new Set(ids);
  const [id] = changed.size === 1 ? changed : [];
  return changed.size === 0 ? null : { type: 'url', id, count: changed.size };
}

// Links that SQLite inserts or updates, or whose events are prepared, in one turn of the event loop.
export const linksPerSlice = 10;
// Links that one statement of PostgreSQL inserts or updates, or whose keys are compared with retired ones,
// which takes about a millisecond.
export const linksPerStatement = 500;
// Links that are updated, or compared, in one turn of the event loop. Takes about 2 ms.
export const linksAtOnce = 4;

/** Returns the number of links that one statement writes, or on SQLite one turn of the event loop. */
export function linksPerWrite({ engine }: Pick<Database, 'engine'>): number {
  return engine === 'postgres' ? linksPerStatement : linksPerSlice;
}

/** Yields a few links at a time, with a turn of the event loop in between. */
export async function* slicesOf<Item>(
  items: readonly Item[],
  size = linksPerSlice,
): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) {
    if (at > 0) await yieldToEventLoop();
    yield items.slice(at, at + size);
  }
}
