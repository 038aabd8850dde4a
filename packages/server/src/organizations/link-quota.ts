import type { WriteTransaction } from '../storage/database.js';
import type { PlanName, PlanTable } from './plans.js';
import type { Quota } from './quota.js';

/**
 * Counts `count` links as active and returns how many of them the plan allows, and the quota if these
 * are fewer. The caller releases the rest. The row of the organization stays locked until the transaction ends, so concurrent
 * transactions cannot exceed the limit together.
 */
export async function reserveLinks(
  transaction: WriteTransaction,
  plans: PlanTable,
  organizationId: string,
  count: number,
): Promise<{ readonly free: number; readonly quota?: Quota }> {
  const { plan, active_urls } = await addActive(transaction, organizationId, count);
  const included = plans[plan as PlanName].linkBundle;
  if (included === null || active_urls <= included) return { free: count };
  const used = Number(active_urls) - count;
  const free = Math.max(0, included - used);
  return { free, quota: { plan: plan as PlanName, included, used: used + free } };
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
