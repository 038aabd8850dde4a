import type { Kysely } from 'kysely';
import type { Schema, WriteTransaction } from '../storage/database.js';

/** A request that may come again: the key that its caller chose, and what came with it. */
export interface IdempotentRequest {
  readonly organizationId: string;
  readonly key: string;
  /** Of the method, the path and the body. */
  readonly fingerprint: string;
  readonly now: number;
}

/** How long a key is remembered, in milliseconds. */
export const idempotencyWindowMs = 24 * 60 * 60 * 1000;

/** The key was used for another request. */
export class IdempotencyConflictError extends Error {
  override readonly name = 'IdempotencyConflictError';
}

export interface Once<T> {
  readonly result: T;
  readonly replayed: boolean;
}

/**
 * Does the work, or returns the result of the first time. The result is kept in the transaction of
 * the work itself, so that a crash leaves both or neither. A second request with the same key waits
 * for the first one's transaction. `T` must survive JSON.
 */
export async function runOnce<T>(
  transaction: WriteTransaction,
  request: IdempotentRequest | undefined,
  work: () => Promise<T>,
): Promise<Once<T>> {
  if (!request) return { result: await work(), replayed: false };
  const { organizationId, key, fingerprint, now } = request;
  await transaction
    .deleteFrom('idempotency_keys')
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .where('created_at', '<=', now - idempotencyWindowMs)
    .execute();
  const claim = await transaction
    .insertInto('idempotency_keys')
    .values({ organization_id: organizationId, key, fingerprint, result: '', created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (claim.numInsertedOrUpdatedRows === 0n) {
    const first = await findFirst<T>(transaction, request);
    if (!first) throw new Error(`the first request of Idempotency-Key ${key} cannot be found`);
    return first;
  }
  const result = await work();
  await transaction
    .updateTable('idempotency_keys')
    .set({ result: JSON.stringify(result) })
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .execute();
  return { result, replayed: false };
}

/**
 * The result of the first time, if there was one. For requests whose preparation is costly, or might
 * turn out otherwise today.
 */
export async function findFirst<T>(
  db: Kysely<Schema>,
  { organizationId, key, fingerprint, now }: IdempotentRequest,
): Promise<Once<T> | undefined> {
  const first = await db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'result'])
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .where('created_at', '>', now - idempotencyWindowMs)
    .executeTakeFirst();
  if (!first) return undefined;
  if (first.fingerprint !== fingerprint) {
    throw new IdempotencyConflictError(`Idempotency-Key ${key} was used for another request`);
  }
  return { result: JSON.parse(first.result) as T, replayed: true };
}
