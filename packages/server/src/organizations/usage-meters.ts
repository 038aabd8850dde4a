import { sql } from 'kysely';
import type { WriteTransaction } from '../storage/database.js';
import {
  type BundledMeter,
  type Meter,
  monthOf,
  type PlanTable,
  planOf,
  type Quota,
} from './plans.js';

/** The number of uses by organization and month. */
export class UsageTally {
  readonly #counts = new Map<string, number>();

  add(organizationId: string, at: number): void {
    const key = `${organizationId} ${monthOf(at)}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** In ascending order of organizations: concurrent transactions lock their meters in one order. */
  *[Symbol.iterator](): Iterator<readonly [organizationId: string, month: string, count: number]> {
    for (const [key, count] of [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const [organizationId = '', month = ''] = key.split(' ');
      yield [organizationId, month, count];
    }
  }
}

/** Adds uses to a meter, in the transaction that stores what was used. */
export async function countUses(
  transaction: WriteTransaction,
  meter: Meter,
  uses: UsageTally,
): Promise<void> {
  for (const [organizationId, month, count] of uses) {
    await countUse(transaction, organizationId, month, meter, count);
  }
}

/**
 * Counts one use if the plan allows it. Otherwise returns the quota. A plan with a price for overage
 * allows any number. The row of the meter stays locked until the transaction ends, so concurrent
 * transactions cannot exceed the bundle together.
 */
export async function countUseWithinPlan(
  transaction: WriteTransaction,
  plans: PlanTable,
  organizationId: string,
  meter: BundledMeter,
  now: number,
): Promise<Quota | undefined> {
  const month = monthOf(now);
  const used = await countUse(transaction, organizationId, month, meter, 1);
  const { plan } = await transaction
    .selectFrom('organizations')
    .select('plan')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const { included, overage } = planOf(plans, plan).meters[meter];
  if (included === null || overage !== null || used <= included) return undefined;
  await countUse(transaction, organizationId, month, meter, -1);
  return { plan, included, used: used - 1 };
}

async function countUse(
  transaction: WriteTransaction,
  organizationId: string,
  month: string,
  meter: Meter,
  count: number,
): Promise<number> {
  // Skips organizations that do not exist: a journal may contain calls of an organization that a restored
  // backup lacks.
  const { rows } = await sql<{ used: number }>`
    insert into usage_meters (organization_id, month, meter, used)
    select id, cast(${month} as text), cast(${meter} as text), cast(${count} as bigint)
    from organizations where id = ${organizationId}
    on conflict (organization_id, month, meter)
      do update set used = usage_meters.used + excluded.used
    returning used`.execute(transaction);
  return rows[0]?.used ?? 0;
}
