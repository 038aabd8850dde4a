import type { Database } from '../storage/database.js';
import { idempotencyWindowMs } from './with-idempotency-key.js';

/** Deletes the idempotency keys whose window has passed. */
export function deleteExpiredKeys(database: Database, now: number): Promise<void> {
  return database.write(async (transaction) => {
    await transaction
      .deleteFrom('idempotency_keys')
      .where('created_at', '<=', now - idempotencyWindowMs)
      .execute();
  });
}
