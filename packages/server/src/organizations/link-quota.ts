import { type Selectable, sql } from 'kysely';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { type PlanTable, planExceeded, planOf } from './plans.js';

export async function releaseLinks(
  transaction: WriteTransaction,
  organizationId: string,
  count: number,
): Promise<void> {
  if (count > 0) await addActive(transaction, organizationId, -count);
}

/**
 * Counts links that become active or inactive one after the other in a transaction, by at most two statements.
 * The first `take` locks the row of the organization until the transaction ends, so concurrent transactions
 * cannot exceed the limit together.
 */
export function countActiveLinks(
  transaction: WriteTransaction,
  plans: PlanTable,
  organizationId: string,
) {
  let stored: Awaited<ReturnType<typeof addActive>> | undefined;
  /** What is not stored yet. */
  let change = 0;
  return {
    /** Counts an active link. Throws QUOTA_EXCEEDED if the plan allows no other. */
    async take(): Promise<void> {
      if (!stored) {
        stored = await addActive(transaction, organizationId, 1);
        change -= 1;
      }
      const { plan } = stored;
      const used = Number(stored.active_urls) + change;
      const included = planOf(plans, plan).linkBundle;
      if (included !== null && used >= included) {
        const nextStep = 'Pause or delete links, or change the plan';
        throw planExceeded({ plan, included, used }, 'active links', nextStep);
      }
      change += 1;
    },

    release(): void {
      change -= 1;
    },

    /** Writes the change. Must be called once, at the end. */
    async settle(): Promise<void> {
      if (change !== 0) await addActive(transaction, organizationId, change);
    },
  };
}

async function addActive(transaction: WriteTransaction, organizationId: string, count: number) {
  const { rows } = await sql<Pick<Selectable<Schema['organizations']>, 'plan' | 'active_urls'>>`
    update organizations set active_urls = active_urls + ${count} where id = ${organizationId}
    returning plan, active_urls`.execute(transaction);
  const [organization] = rows;
  if (!organization) throw new Error(`there is no organization ${organizationId}`);
  return organization;
}

interface WrongCounter {
  readonly id: string;
  readonly counted: number;
  readonly actual: number;
}

export async function findWrongLinkCounters({ read }: Database): Promise<readonly WrongCounter[]> {
  const { rows } = await sql<WrongCounter>`
    select organizations.id, active_urls as counted, count(urls.id) as actual
    from organizations
    left join urls on urls.organization_id = organizations.id and urls.is_active = 1
    where import_leased_until is null
    group by organizations.id, active_urls having active_urls <> count(urls.id)
    order by organizations.id`.execute(read);
  return rows;
}

/** Corrects counters by their difference, so changes since the diagnosis are not lost. */
export async function repairLinkCounters(
  database: Database,
  wrong: readonly WrongCounter[],
): Promise<void> {
  await database.writeDirectly(async (transaction) => {
    for (const { id, counted, actual } of wrong) {
      await sql`update organizations set active_urls = active_urls + ${actual - counted}
        where id = ${id}`.execute(transaction);
    }
  }, 'exclusive');
}
