import type { ErrorDetail } from '../contract/errors.js';
import type { AuditTarget } from '../idempotency/audit-entry.js';
import type { WriteContext } from '../idempotency/with-idempotency-key.js';
import type { ShortUrl } from './short-url.js';
import type { ItemError, Refusal, Refused } from './url-refusals.js';

export interface CreateContext extends WriteContext {
  /** Returns a random code, with more characters than usual if most of the usual ones are taken. */
  readonly newShortCode: (extraLength?: number) => string;
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
    }
  | Refused<Exclude<Refusal, 'not-found'>>
  | {
      readonly status: 'invalid';
      readonly error: string;
      /** Results of earlier versions have none. */
      readonly details?: ItemError['details'] | undefined;
    };

/** The stored result of an upsert. */
export type UpsertOutcome<Presented> =
  | { readonly status: 'created'; readonly presented: Presented }
  | Refused
  | UpdateOutcome<Presented>;

/** The stored result of a create. It omits the fields that a repeated request contains. */
export interface Creation {
  readonly createdAt: number;
  /** Who made the first request. */
  readonly createdBy: string | null;
  readonly outcomes: readonly CreateOutcome[];
}

/** The outcome of one change, which is stored with the idempotency key. */
export type UpdateOutcome<Presented> =
  | { readonly status: 'updated'; readonly presented: Presented }
  | RefusedUpdate;

export type RefusedUpdate = Refused | { readonly status: 'refused'; readonly error: ErrorDetail };

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
