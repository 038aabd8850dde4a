import { type PlanName, plans } from '../organizations/plans.js';
import type { WriteTransaction } from '../storage/database.js';

/** What organizations are charged by. */
export type Meter = 'qr_generated';

/** The calendar month, in UTC, that an instant is charged in. */
export function monthOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7);
}

/**
 * Counts a use in the transaction of what is used; how many there are in this month. Whoever else
 * counts for the organization waits until the transaction ends, so that no two take the last place.
 */
async function countUse(
  transaction: WriteTransaction,
  organizationId: string,
  meter: Meter,
  now: number,
): Promise<number> {
  const { used } = await transaction
    .insertInto('usage_meters')
    .values({ organization_id: organizationId, month: monthOf(now), meter, used: 1 })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'month', 'meter']).doUpdateSet(({ eb }) => ({
        used: eb('usage_meters.used', '+', 1),
      })),
    )
    .returning('used')
    .executeTakeFirstOrThrow();
  return used;
}

/**
 * Counts a generated code; false, and nothing is counted, when the plan has no room for it. A plan
 * with a price for more goes on beyond its bundle.
 */
export async function takeQrQuota(
  transaction: WriteTransaction,
  organizationId: string,
  now: number,
): Promise<boolean> {
  const used = await countUse(transaction, organizationId, 'qr_generated', now);
  const { plan } = await transaction
    .selectFrom('organizations')
    .select('plan')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const { qrBundle, qrOverageUsd } = plans[plan as PlanName];
  if (qrBundle === null || qrOverageUsd !== null || used <= qrBundle) return true;
  await transaction
    .updateTable('usage_meters')
    .set({ used: used - 1 })
    .where('organization_id', '=', organizationId)
    .where('month', '=', monthOf(now))
    .where('meter', '=', 'qr_generated')
    .execute();
  return false;
}
