import type { WriteTransaction } from '../storage/database.js';
import { type BundledMeter, type Meter, monthOf } from './meters.js';
import type { MonthlyBundle, PlanName, PlanTable } from './plans.js';

/** Uses of one meter that are counted together. */
export class UseTally {
  readonly #counts = new Map<string, Map<string, number>>();

  add(organizationId: string, at: number): void {
    const months = this.#counts.get(organizationId) ?? new Map<string, number>();
    const month = monthOf(at);
    months.set(month, (months.get(month) ?? 0) + 1);
    this.#counts.set(organizationId, months);
  }

  *[Symbol.iterator](): Iterator<readonly [organizationId: string, month: string, count: number]> {
    for (const [organizationId, months] of this.#counts) {
      for (const [month, count] of months) yield [organizationId, month, count];
    }
  }
}

/** Counts uses in the transaction of what was used, or of what tells of it. */
export async function countUses(
  transaction: WriteTransaction,
  meter: Meter,
  uses: UseTally,
): Promise<void> {
  for (const [organizationId, month, count] of uses) {
    await countUse(transaction, organizationId, month, meter, count);
  }
}

/**
 * Counts one use, and tells whether the plan has room for it; when not, nothing is counted. A plan
 * with a price for more goes on beyond its bundle. Whoever else counts for the organization waits
 * until the transaction ends, so that no two take the last place.
 */
export async function takeUse(
  transaction: WriteTransaction,
  plans: PlanTable,
  organizationId: string,
  meter: BundledMeter,
  now: number,
): Promise<boolean> {
  const month = monthOf(now);
  const used = await countUse(transaction, organizationId, month, meter, 1);
  const { plan } = await transaction
    .selectFrom('organizations')
    .select('plan')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (hasRoom(plans[plan as PlanName].meters[meter], used)) return true;
  await countUse(transaction, organizationId, month, meter, -1);
  return false;
}

function hasRoom({ included, overage }: MonthlyBundle, used: number): boolean {
  return included === null || overage !== null || used <= included;
}

/** How many there are in the month now. */
async function countUse(
  transaction: WriteTransaction,
  organizationId: string,
  month: string,
  meter: Meter,
  count: number,
): Promise<number> {
  const row = await transaction
    .insertInto('usage_meters')
    .columns(['organization_id', 'month', 'meter', 'used'])
    // Of those that exist: a journal may know organizations that a restored backup does not, and
    // must not wait for them for ever.
    .expression(({ selectFrom, val, cast }) =>
      selectFrom('organizations')
        .select([
          'id',
          cast<string>(val(month), 'text').as('month'),
          cast<string>(val(meter), 'text').as('meter'),
          cast<number>(val(count), 'bigint').as('used'),
        ])
        .where('id', '=', organizationId),
    )
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'month', 'meter']).doUpdateSet(({ eb, ref }) => ({
        used: eb('usage_meters.used', '+', ref('excluded.used')),
      })),
    )
    .returning('used')
    .executeTakeFirst();
  return row?.used ?? 0;
}
