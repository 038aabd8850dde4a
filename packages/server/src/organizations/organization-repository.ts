import { type Client, insertClient } from '../auth/client-repository.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import type { Schema } from '../storage/schema.js';
import type { PlanName } from './plans.js';

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly activeUrls: number;
  readonly createdAt: number;
}

type NewOrganization = Omit<Organization, 'activeUrls'>;

/** Stores organizations. Every method is one transaction. */
export class OrganizationRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Creates an organization and its first client. */
  create(organization: NewOrganization, client: Client): Promise<void> {
    return this.#database.writeDirectly((transaction) => insert(transaction, organization, client));
  }

  /** Creates the first organization and its client. Returns false when there already is one. */
  async createFirst(organization: NewOrganization, client: Client): Promise<boolean> {
    // Reads first, because a start must not wait for the write lock of a database in use.
    if (await hasAny(this.#database.read)) return false;
    return this.#database.writeDirectly(async (transaction) => {
      if (await hasAny(transaction)) return false;
      await insert(transaction, organization, client);
      return true;
    });
  }

  /**
   * Changes the plan from the next request on. Links and codes beyond the new plan stay. Returns the
   * organization as it was before; undefined when it does not exist.
   */
  changePlan(id: string, plan: PlanName, now: number): Promise<Organization | undefined> {
    return this.#database.writeDirectly(async (transaction) => {
      const before = await transaction
        .selectFrom('organizations')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (!before || before.plan === plan) return before && fromRow(before);
      await transaction
        .insertInto('plan_changes')
        .values({ organization_id: id, changed_at: now, plan_before: before.plan })
        // Of two changes in one millisecond, the first one has the plan before both.
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await transaction.updateTable('organizations').set({ plan }).where('id', '=', id).execute();
      return fromRow(before);
    });
  }

  async get(id: string): Promise<Organization> {
    const row = await this.#database.read
      .selectFrom('organizations')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return fromRow(row);
  }

  /** Returns all organizations, oldest first. */
  async list(): Promise<Organization[]> {
    const rows = await this.#database.read
      .selectFrom('organizations')
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(fromRow);
  }
}

async function hasAny(db: Database['read']): Promise<boolean> {
  const row = await db.selectFrom('organizations').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

async function insert(
  transaction: WriteTransaction,
  organization: NewOrganization,
  client: Client,
): Promise<void> {
  await transaction
    .insertInto('organizations')
    .values({
      id: organization.id,
      name: organization.name,
      plan: organization.plan,
      active_urls: 0,
      created_at: organization.createdAt,
    })
    .execute();
  await insertClient(transaction, client, organization.createdAt);
}

function fromRow(row: Schema['organizations']): Organization {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan as PlanName,
    activeUrls: row.active_urls,
    createdAt: row.created_at,
  };
}
