import { type Selectable, sql } from 'kysely';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { type PlanTable, planOf, type Quota } from './plans.js';

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
  const included = planOf(plans, plan).linkBundle;
  if (included === null || active_urls <= included) return { free: count };
  const used = Number(active_urls) - count;
  const free = Math.max(0, included - used);
  return { free, quota: { plan, included, used: used + free } };
}

export async function releaseLinks(
  transaction: WriteTransaction,
  organizationId: string,
  count: number,
): Promise<void> {
  if (count > 0) await addActive(transaction, organizationId, -count);
}

/**
 * Counts links that become active or inactive one after the other in a transaction. Needs two
 * statements for any number of links. The first `take` locks the row of the organization.
 */
export class ActiveLinks {
  readonly #transaction: WriteTransaction;
  readonly #plans: PlanTable;
  readonly #organizationId: string;
  #stored: Awaited<ReturnType<typeof addActive>> | undefined;
  #change = 0;

  constructor(transaction: WriteTransaction, plans: PlanTable, organizationId: string) {
    this.#transaction = transaction;
    this.#plans = plans;
    this.#organizationId = organizationId;
  }

  async take(): Promise<Quota | undefined> {
    this.#stored ??= await addActive(this.#transaction, this.#organizationId, 0);
    const { plan } = this.#stored;
    const used = Number(this.#stored.active_urls) + this.#change;
    const included = planOf(this.#plans, plan).linkBundle;
    if (included !== null && used >= included) return { plan, included, used };
    this.#change += 1;
    return undefined;
  }

  release(): void {
    this.#change -= 1;
  }

  /** Writes the change. Must be called once, at the end. */
  async settle(): Promise<void> {
    if (this.#change !== 0) await addActive(this.#transaction, this.#organizationId, this.#change);
  }
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
