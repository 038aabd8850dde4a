import type { WriteTransaction } from '../storage/database.js';
import type { PlanName, PlanTable } from './plans.js';

/**
 * Counts links as active and tells how many of them the plan's bundle has room for. It locks the
 * organization until the transaction ends, so that two of them cannot both take the last place.
 */
export async function takeQuota(
  transaction: WriteTransaction,
  plans: PlanTable,
  organizationId: string,
  count: number,
): Promise<number> {
  const { plan, active_urls } = await transaction
    .updateTable('organizations')
    .set((expression) => ({ active_urls: expression('active_urls', '+', count) }))
    .where('id', '=', organizationId)
    .returning(['plan', 'active_urls'])
    .executeTakeFirstOrThrow();
  const bundle = plans[plan as PlanName].linkBundle;
  return bundle === null ? count : Math.max(0, Math.min(count, bundle - (active_urls - count)));
}

/** Counts links as no longer active. */
export async function giveQuota(
  transaction: WriteTransaction,
  organizationId: string,
  count: number,
): Promise<void> {
  if (count === 0) return;
  await transaction
    .updateTable('organizations')
    .set((expression) => ({ active_urls: expression('active_urls', '-', count) }))
    .where('id', '=', organizationId)
    .execute();
}
