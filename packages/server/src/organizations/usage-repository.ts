import type { Database } from '../storage/database.js';
import { type Meter, monthOf } from './meters.js';
import type { PlanName } from './plans.js';

export interface MonthlyUsage {
  /** The plan that the month is charged by. */
  readonly plan: PlanName;
  /** The current number, not that of the month. */
  readonly activeUrls: number;
  readonly used: ReadonlyMap<Meter, number>;
}

export class UsageRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Reads the use of a month from one snapshot. */
  read(organizationId: string, month: string): Promise<MonthlyUsage> {
    return this.#database.snapshot(async (db) => {
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
      // The plan before the first later change is the plan at the month's end.
      const later = changes.find(({ changed_at }) => monthOf(changed_at) > month);
      const rows = await db
        .selectFrom('usage_meters')
        .select(['meter', 'used'])
        .where('organization_id', '=', organizationId)
        .where('month', '=', month)
        .execute();
      return {
        plan: (later?.plan_before ?? organization.plan) as PlanName,
        activeUrls: organization.active_urls,
        used: new Map(rows.map(({ meter, used }) => [meter as Meter, used])),
      };
    });
  }
}
