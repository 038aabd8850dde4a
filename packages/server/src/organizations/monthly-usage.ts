import { sql } from 'kysely';
import { invalidField } from '../contract/api-error.js';
import type { Page, PageRange } from '../contract/fields.js';
import type { Database } from '../storage/database.js';
import { listOrganizations } from './organization-repository.js';
import {
  type BundledMeter,
  computeCharge,
  type Meter,
  monthOf,
  type PlanTable,
  planOf,
} from './plans.js';

export interface MonthlyUsage {
  readonly plan: string;
  readonly activeUrls: number;
  readonly used: ReadonlyMap<Meter, number>;
}

/** Returns the month of a query: by default the current one. Throws VALIDATION_FAILED for a later one. */
export function readPeriod(period: string | undefined, clockNow: number): string {
  const now = monthOf(clockNow);
  const month = period ?? now;
  if (month <= now) return month;
  throw invalidField('period', `must not lie in the future (the current month is ${now})`);
}

/** Returns one page of the use of all organizations in a month, newest organizations first. */
export async function listUsage(
  database: Database,
  range: PageRange,
  month: string,
): Promise<Page<MonthlyUsage & { readonly organization: { id: string; name: string } }>> {
  const page = await listOrganizations(database, range);
  const ids = page.items.map(({ id }) => id);
  const usages = await readMonthlyUsages(database, ids, month);
  const items = page.items.flatMap(({ id, name }) => {
    const usage = usages.get(id);
    return usage ? [{ organization: { id, name }, ...usage }] : [];
  });
  return { ...page, items };
}

/** Reads the uses of a month, and the current number of active links. */
export async function readMonthlyUsages(
  database: Database,
  ids: readonly string[],
  month: string,
): Promise<Map<string, MonthlyUsage>> {
  if (ids.length === 0) return new Map();
  const endsAt = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)));
  // The month is charged by the plan at its end: the plan before the first later change.
  const { rows } = await sql<{ id: string; plan: string; activeUrls: number }>`
    select id, active_urls as "activeUrls", coalesce((
      select plan_before from plan_changes
      where organization_id = organizations.id and changed_at >= ${endsAt}
      order by changed_at limit 1), plan) as plan
    from organizations where id in (${sql.join(ids)})`.execute(database.read);
  const meters = await database.read
    .selectFrom('usage_meters')
    .select(['organization_id as id', 'meter', 'used'])
    .where('organization_id', 'in', ids)
    .where('month', '=', month)
    .execute();
  return new Map(
    rows.map(({ id, plan, activeUrls }) => {
      const own = meters.filter((meter) => meter.id === id);
      const used = new Map(own.map(({ meter, used }) => [meter as Meter, used]));
      return [id, { plan, activeUrls, used }];
    }),
  );
}

export function presentUsage(
  plans: PlanTable,
  month: string,
  { plan, activeUrls, used }: MonthlyUsage,
) {
  const { linkBundle, meters } = planOf(plans, plan);
  const usedOf = (meter: Meter) => used.get(meter) ?? 0;
  const charge = (meter: BundledMeter) => computeCharge(usedOf(meter), meters[meter]);
  return {
    period: month,
    plan,
    meters: {
      api_call: { used: usedOf('api_call') },
      qr_generated: charge('qr_generated'),
      webhook_delivery: charge('webhook_delivery'),
    },
    links: { used: activeUrls, included: linkBundle },
  };
}
