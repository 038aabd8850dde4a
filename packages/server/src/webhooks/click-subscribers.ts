import { sql } from 'kysely';
import { validationError } from '../contract/api-error.js';
import type { WriteTransaction } from '../storage/database.js';

// Each visit is copied for each of them.
const maxSubscribers = 5;

/**
 * Throws VALIDATION_FAILED when too many webhooks of an organization subscribe to `url.clicked`. Callers
 * have just subscribed one, in the same transaction, which holds the organization's lock.
 */
export async function limitClickSubscribers(
  transaction: WriteTransaction,
  organizationId: string,
): Promise<void> {
  const own = await transaction
    .selectFrom('webhooks')
    .select('id')
    .where('organization_id', '=', organizationId)
    // The condition of the index.
    .where(sql<boolean>`replace(events, 'url.clicked', '') <> events`)
    .where('deleted_at', 'is', null)
    .execute();
  if (own.length <= maxSubscribers) return;
  const message = `can name url.clicked in at most ${maxSubscribers} webhooks of an organization`;
  throw validationError([{ path: 'events', message }]);
}
