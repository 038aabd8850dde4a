import { sql } from 'kysely';
import { validationError } from '../contract/api-error.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import {
  type BundledMeter,
  computeCharge,
  type Meter,
  monthOf,
  type PlanName,
  type PlanTable,
} from './plans.js';
import type { usageRoutes } from './usage-contract.js';

/** Reports the use of an organization in a month, and its cost. */
export function usageHandlers({
  database,
  plans,
  clock,
}: {
  readonly database: Database;
  readonly plans: PlanTable;
  readonly clock: Clock;
}): HandlersOf<typeof usageRoutes> {
  return {
    async getUsage({ caller, query }) {
      const now = monthOf(clock());
      const month = query.period ?? now;
      if (month > now) {
        throw validationError([
          { path: 'period', message: `must not lie in the future (the current month is ${now})` },
        ]);
      }
      const { plan, activeUrls, used } = await readMonthlyUsage(
        database,
        caller.organizationId,
        month,
      );
      const { linkBundle, meters } = plans[plan];
      const usedOf = (meter: Meter) => used.get(meter) ?? 0;
      const charge = (meter: BundledMeter) => computeCharge(usedOf(meter), meters[meter]);
      return {
        status: 200,
        data: {
          period: month,
          plan,
          meters: {
            api_call: { used: usedOf('api_call') },
            qr_generated: charge('qr_generated'),
            webhook_delivery: charge('webhook_delivery'),
          },
          links: { used: activeUrls, included: linkBundle },
        },
      };
    },
  };
}

/** Reads the uses of a month, and the current number of active links. */
export async function readMonthlyUsage(database: Database, organizationId: string, month: string) {
  const endsAt = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)));
  // The month is charged by the plan at its end: the plan before the first later change.
  const { rows } = await sql<{ plan: PlanName; activeUrls: number }>`
    select active_urls as "activeUrls", coalesce((
      select plan_before from plan_changes
      where organization_id = organizations.id and changed_at >= ${endsAt}
      order by changed_at limit 1), plan) as plan
    from organizations where id = ${organizationId}`.execute(database.read);
  const { plan, activeUrls } = rows[0] as (typeof rows)[number];
  const meters = await database.read
    .selectFrom('usage_meters')
    .select(['meter', 'used'])
    .where('organization_id', '=', organizationId)
    .where('month', '=', month)
    .execute();
  const used = new Map(meters.map(({ meter, used }) => [meter as Meter, used]));
  return { plan, activeUrls, used };
}
