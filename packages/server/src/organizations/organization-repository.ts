import { type Client, insertClient } from '../auth/client-repository.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import type { PlanName } from './plans.js';

interface NewOrganization {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly createdAt: number;
}

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
  changePlan(id: string, plan: PlanName, now: number) {
    return this.#database.writeDirectly(async (transaction) => {
      const before = await select(transaction).where('id', '=', id).executeTakeFirst();
      if (!before || before.plan === plan) return before;
      await transaction
        .insertInto('plan_changes')
        .values({ organization_id: id, changed_at: now, plan_before: before.plan })
        // Of two changes in one millisecond, the first one has the plan before both.
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await transaction.updateTable('organizations').set({ plan }).where('id', '=', id).execute();
      return before;
    });
  }

  get(id: string) {
    return select(this.#database.read).where('id', '=', id).executeTakeFirstOrThrow();
  }

  /** Returns all organizations, oldest first. */
  list() {
    return select(this.#database.read).orderBy('created_at').orderBy('id').execute();
  }
}

function select(db: Database['read']) {
  return db
    .selectFrom('organizations')
    .select(['id', 'name', 'plan', 'active_urls as activeUrls', 'created_at as createdAt'])
    .$narrowType<{ plan: PlanName }>();
}

async function hasAny(db: Database['read']): Promise<boolean> {
  const row = await db.selectFrom('organizations').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

async function insert(
  transaction: WriteTransaction,
  { id, name, plan, createdAt }: NewOrganization,
  client: Client,
): Promise<void> {
  await transaction
    .insertInto('organizations')
    .values({ id, name, plan, created_at: createdAt })
    .execute();
  await insertClient(transaction, client, createdAt);
}
