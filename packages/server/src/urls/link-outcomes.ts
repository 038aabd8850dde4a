import { type ApiError, fieldError, notFound } from '../contract/api-error.js';
import { replayable, type StoredError } from '../idempotency/with-idempotency-key.js';

/** The outcome of one item of a request, which is stored with the idempotency key. */
export type Outcome<Presented> =
  | { readonly status: 'created' | 'existing' | 'updated'; readonly presented: Presented }
  | { readonly status: 'refused'; readonly error: StoredError };

export function refused({ code, message, details }: StoredError) {
  return { status: 'refused', error: { code, message, details } } as const;
}

/** Returns the outcome of a request with one item. Throws an ApiError if it was refused. */
export function requireWritten<Presented>(
  [outcome]: readonly Outcome<Presented>[],
  replayed: boolean,
) {
  if (outcome?.status !== 'refused') return outcome as Exclude<typeof outcome, undefined>;
  throw replayable(outcome.error, replayed);
}

/** The fields of a request that name the link. */
export type KeyField = 'customSlug' | 'importedCode';

export function slugConflict(path: KeyField, key: string): ApiError {
  return fieldError('SLUG_CONFLICT', path, key, 'is taken on this domain', '; choose another');
}

export function slugReserved(path: KeyField, key: string): ApiError {
  const rule = path === 'customSlug' ? 'is a reserved word' : 'begins with a reserved word';
  return fieldError('SLUG_RESERVED', path, key, rule, '; choose another');
}

export function externalIdConflict(externalId: string): ApiError {
  return fieldError('EXTERNAL_ID_CONFLICT', 'externalId', externalId, 'is taken by another link');
}

export function urlNotFound(id: number | string): ApiError {
  return notFound('URL', id);
}
