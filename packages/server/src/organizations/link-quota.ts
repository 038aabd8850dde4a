import type { WriteTransaction } from '../storage/database.js';
import type { PlanName, PlanTable } from './plans.js';

/**
 * Counts `count` links as active and returns how many of them the plan allows. The caller releases
 * the rest. The row of the organization stays locked until the transaction ends, so concurrent
 * transactions cannot exceed the limit together.
 */
export async function reserveLinks(
  transaction: WriteTransaction,
  plans: PlanTable,
  organizationId: string,
  count: number,
): Promise<number> {
  const { plan, active_urls } = await addActive(transaction, organizationId, count);
  const bundle = plans[plan as PlanName].linkBundle;
  return bundle === null ? count : Math.max(0, Math.min(count, bundle - (active_urls - count)));
}

/** Counts links as inactive. */
export async function releaseLinks(
  transaction: WriteTransaction,
  organizationId: string,
  count: number,
): Promise<void> {
  if (count > 0) await addActive(transaction, organizationId, -count);
}

function addActive(transaction: WriteTransaction, organizationId: string, count: number) {
  return transaction
    .updateTable('organizations')
    .set(({ eb }) => ({ active_urls: eb('active_urls', '+', count) }))
    .where('id', '=', organizationId)
    .returning(['plan', 'active_urls'])
    .executeTakeFirstOrThrow();
}
