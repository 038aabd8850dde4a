import type { Kysely } from 'kysely';
import { ApiError, notFound } from '../contract/api-error.js';
import type { LinkOwner } from '../contract/caller.js';
import type { IfMatch } from '../preconditions/if-match.js';
import {
  type Database,
  operatorOwner,
  type Schema,
  type WriteTransaction,
} from '../storage/database.js';
import { keyIdIn } from '../storage/keyring.js';
import { encryptorOf } from '../storage/secrets.js';
import { findWhere } from '../storage/statements.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { type AuditTarget, recordAuditEntry, type WriteOrigin } from './audit-entry.js';

export interface IdempotentRequest {
  /** The owner of the key: the caller's organization, or `operatorOwner`. */
  readonly organizationId: string;
  readonly key: string;
  /** A hash of the method, the path with its query, and the body. */
  readonly fingerprint: string;
  readonly now: number;
}

export interface WriteRequest {
  readonly origin: WriteOrigin;
  /** Undefined for a request without an `Idempotency-Key`. */
  readonly idempotency: IdempotentRequest | undefined;
}

export const idempotencyWindowMs = 24 * 60 * 60 * 1000;

export interface IdempotentResult<T> {
  readonly result: T;
  /** True when an earlier request with the same key did the work. */
  readonly replayed: boolean;
}

/** Who writes, what is written for the audit log, and how. */
export interface WriteOptions<T> {
  readonly organizationId: string;
  /** Undefined for a work that nobody asks for: it has neither key nor entry. */
  readonly write: WriteRequest | undefined;
  /** What the work changes, unless its result is null. */
  readonly audit: AuditTarget | ((result: T) => AuditTarget | null);
  readonly isBulk?: boolean;
  /** True if the result contains a secret. It is then encrypted, and repeated for its first reader only. */
  readonly holdsSecret?: boolean;
}

/** What a change of a record needs of its request. Its owner is `operatorOwner` for one of the operator. */
export interface WriteContext extends LinkOwner {
  readonly now: number;
  /** Undefined for a route that changes nothing. */
  readonly write: WriteRequest | undefined;
  /** The versions that the caller accepts, for a change of one record; undefined accepts any. */
  readonly ifMatch?: IfMatch | undefined;
}

/** The parts of an ApiError that are stored. */
export type StoredError = Pick<ApiError, 'code' | 'message' | 'details'>;

/**
 * Refuses the request of a work. Unlike another error, it undoes nothing of what the work has written. It is
 * stored as a result is, so that a repeated request gets it again.
 */
export class Refusal extends Error {
  readonly error: StoredError;

  constructor({ code, message, details }: ApiError) {
    super(message);
    this.error = { code, message, details };
  }
}

/** What is stored of a request. */
type Outcome<T> = { readonly result: T } | { readonly refusal: StoredError };

function refusalOf(error: unknown): { readonly refusal: StoredError } {
  if (error instanceof Refusal) return { refusal: error.error };
  throw error;
}

/** Returns the result of an outcome, or throws its refusal. */
function resultOf<T>(outcome: Outcome<T>, replayed: boolean): IdempotentResult<T> {
  if ('refusal' in outcome) throw replayable(outcome.refusal, replayed);
  return { result: outcome.result, replayed };
}

/** Returns an error for the response, which says whether it is repeated. */
export function replayable({ code, message, details }: StoredError, replayed: boolean): ApiError {
  return new ApiError(code, message, { details, replayed });
}

/**
 * Does the work of a request in a write transaction of its organization, or returns the stored result
 * of the first request with the same key. The result and the entry of the audit log are stored in the
 * transaction of `work`, so a crash leaves all or nothing of what `work` does. Nothing is stored if
 * the work throws, unless it is a Refusal. Two requests with the same key cannot both find no result, because write
 * transactions of an organization run one after another. `T` must survive JSON. The bulk works of a
 * transaction, its commit, and what their callers do afterwards have a turn of the event loop each.
 */
export async function writeOnce<T>(
  database: Database,
  { organizationId, write, audit, holdsSecret = false, isBulk = false }: WriteOptions<T>,
  work: (transaction: WriteTransaction) => Promise<T>,
): Promise<IdempotentResult<T>> {
  const request = holdsSecret ? boundToActor(write) : write;
  const targetOf = (result: T) => {
    if (result === null) return null;
    return typeof audit === 'function' ? audit(result) : audit;
  };
  const workOnce = async (transaction: WriteTransaction) => {
    const stored = await findOutcome<T>(database, request, transaction);
    if (stored) return { outcome: stored, replayed: true };
    const outcome = await work(transaction).then((result) => ({ result }), refusalOf);
    if (isBulk) await yieldToEventLoop();
    const target = 'result' in outcome ? targetOf(outcome.result) : null;
    if (request && target) {
      const owner = organizationId === operatorOwner ? null : organizationId;
      recordAuditEntry(transaction, request.origin, { organizationId: owner, ...target });
    }
    if (!request?.idempotency) return { outcome, replayed: false };
    const { organizationId: owner, key, fingerprint, now } = request.idempotency;
    const text = JSON.stringify(outcome);
    const encrypt = holdsSecret ? await encryptorOf(database, transaction) : undefined;
    const row = {
      fingerprint,
      result: encrypt ? encrypt(text, placeOfResult(request.idempotency)) : text,
      created_at: now,
    };
    await transaction
      .insertInto('idempotency_keys')
      .values({ organization_id: owner, key, ...row })
      // Replaces an expired key.
      .onConflict((conflict) => conflict.columns(['organization_id', 'key']).doUpdateSet(row))
      .execute();
    return { outcome, replayed: false };
  };
  const { outcome, replayed } = await database.write(organizationId, workOnce, { isBulk });
  if (isBulk) await yieldToEventLoop();
  return resultOf(outcome, replayed);
}

/** Returns a request that is another one when another client, key or person repeats it. */
function boundToActor(request: WriteRequest | undefined): WriteRequest | undefined {
  if (!request?.idempotency) return request;
  const { origin, idempotency } = request;
  const fingerprint = `${idempotency.fingerprint} ${origin.actorType} ${origin.actorId}`;
  return { origin, idempotency: { ...idempotency, fingerprint } };
}

/** Returns the result of a write. Throws NOT_FOUND if there was no such record. */
export function requireFound<T>(
  { result, replayed }: IdempotentResult<T | null>,
  kind: string,
  id: string | number,
): IdempotentResult<T> {
  if (result === null) throw replayable(notFound(kind, id), replayed);
  return { result, replayed };
}

/**
 * Returns the stored result of a request's key, or undefined. For requests whose preparation is
 * expensive, or may have another outcome the second time. Throws a stored refusal, or IDEMPOTENCY_CONFLICT.
 */
export async function findStoredResult<T>(
  database: Database,
  request: WriteRequest | undefined,
): Promise<IdempotentResult<T> | undefined> {
  const stored = await findOutcome<T>(database, request, database.read);
  return stored && resultOf(stored, true);
}

async function findOutcome<T>(
  { keyring }: Database,
  request: WriteRequest | undefined,
  db: Kysely<Schema>,
): Promise<Outcome<T> | undefined> {
  if (!request?.idempotency) return undefined;
  const { organizationId, key, fingerprint, now } = request.idempotency;
  const stored = await findWhere(db, 'idempotency_keys', { organization_id: organizationId, key });
  if (!stored || stored.created_at <= now - idempotencyWindowMs) return undefined;
  if (stored.fingerprint !== fingerprint) {
    const message = `Idempotency-Key ${key} was used for another request: another method, path, query, body, or caller if the response has a secret`;
    throw new ApiError('IDEMPOTENCY_CONFLICT', message);
  }
  const text = keyIdIn(stored.result)
    ? keyring.decrypt(stored.result, placeOfResult(request.idempotency))
    : stored.result;
  return JSON.parse(text) as Outcome<T>;
}

function placeOfResult({ organizationId, key }: Pick<IdempotentRequest, 'organizationId' | 'key'>) {
  return ['idempotency_keys', organizationId, key];
}
