import { validationError } from '../contract/api-error.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { computeCharge } from './compute-charge.js';
import { type BundledMeter, type Meter, monthOf } from './meters.js';
import type { PlanName, PlanTable } from './plans.js';
import type { usageRoutes } from './usage-contract.js';

export interface UsageOptions {
  readonly database: Database;
  readonly plans: PlanTable;
  readonly clock: Clock;
}

/** Reports the use of an organization in a month, and its cost. */
export function usageHandlers({
  database,
  plans,
  clock,
}: UsageOptions): HandlersOf<typeof usageRoutes> {
  return {
    async getUsage({ caller, query }) {
      const now = monthOf(clock());
      const month = query.period ?? now;
      if (month > now) {
        throw validationError([
          { path: 'period', message: `must not lie in the future: it is ${now}` },
        ]);
      }
      const usage = await readMonthlyUsage(database, caller.organizationId, month);
      const { linkBundle, meters } = plans[usage.plan];
      const usedOf = (meter: Meter) => usage.used.get(meter) ?? 0;
      const charge = (meter: BundledMeter) => computeCharge(usedOf(meter), meters[meter]);
      return {
        status: 200,
        data: {
          period: month,
          plan: usage.plan,
          meters: {
            api_call: { used: usedOf('api_call') },
            qr_generated: charge('qr_generated'),
            webhook_delivery: charge('webhook_delivery'),
          },
          links: { used: usage.activeUrls, included: linkBundle },
        },
      };
    },
  };
}

/** Reads the use of a month from one snapshot. */
export function readMonthlyUsage(database: Database, organizationId: string, month: string) {
  return database.snapshot(async (db) => {
    const organization = await db
      .selectFrom('organizations')
      .select(['plan', 'active_urls'])
      .where('id', '=', organizationId)
      .executeTakeFirstOrThrow();
    const changes = await db
      .selectFrom('plan_changes')
      .select(['changed_at', 'plan_before'])
      .where('organization_id', '=', organizationId)
      .orderBy('changed_at')
      .execute();
    // The month is charged by the plan at its end: the plan before the first later change.
    const later = changes.find(({ changed_at }) => monthOf(changed_at) > month);
    const rows = await db
      .selectFrom('usage_meters')
      .select(['meter', 'used'])
      .where('organization_id', '=', organizationId)
      .where('month', '=', month)
      .execute();
    return {
      plan: (later?.plan_before ?? organization.plan) as PlanName,
      // The current number, not that of the month.
      activeUrls: organization.active_urls,
      used: new Map(rows.map(({ meter, used }) => [meter as Meter, used])),
    };
  });
}
