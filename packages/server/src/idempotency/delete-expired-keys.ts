import type { Database, WriteTransaction } from '../storage/database.js';
import { deleteBatchSize, runInBatches } from '../storage/run-in-batches.js';
import { idempotencyWindowMs } from './with-idempotency-key.js';

/** Deletes the idempotency keys whose window has passed, until the signal aborts. */
export function deleteExpiredKeys(
  database: Database,
  now: number,
  signal: AbortSignal,
): Promise<number> {
  const before = now - idempotencyWindowMs;
  return runInBatches(
    deleteBatchSize,
    () => database.writeDirectly((transaction) => deleteBatch(transaction, before)),
    signal,
  );
}

async function deleteBatch(transaction: WriteTransaction, before: number): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('idempotency_keys')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('organization_id', 'key'),
        'in',
        selectFrom('idempotency_keys')
          .select(['organization_id', 'key'])
          .where('created_at', '<=', before)
          .limit(deleteBatchSize)
          .$asTuple('organization_id', 'key'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
