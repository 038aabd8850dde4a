import type { Database } from '../storage/database.js';
import { idempotencyWindowMs } from './run-once.js';

export function forgetOldKeys(database: Database, now: number): Promise<void> {
  return database.write(async (transaction) => {
    await transaction
      .deleteFrom('idempotency_keys')
      .where('created_at', '<=', now - idempotencyWindowMs)
      .execute();
  });
}
