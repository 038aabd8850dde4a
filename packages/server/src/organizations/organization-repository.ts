import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { insertApiKey, type NewApiKey } from '../auth/api-key-repository.js';
import { insertClient, type NewClient, noOrganization } from '../auth/client-repository.js';
import { ConfigError } from '../config-error.js';
import { invalidField, shorten } from '../contract/api-error.js';
import type { Page, PageRange } from '../contract/fields.js';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { Refusal, type WriteRequest, writeOnce } from '../idempotency/with-idempotency-key.js';
import { type Database, operatorOwner, type WriteTransaction } from '../storage/database.js';
import { changeLinkPolicy, readLinkPolicyVersion } from '../storage/link-policy.js';
import { readList } from '../storage/list-page.js';
import { lockOrganization } from '../storage/locks.js';
import { bulkInsert, updateWhere } from '../storage/statements.js';
import { organizationRecord, type organizationUpdateRequest } from './organization-contract.js';
import type { ownOrganizationUpdateRequest } from './own-organization-contract.js';
import type { PlanTable } from './plans.js';

/** A stored organization. Instants are milliseconds since 1970. */
export type Organization = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

export type OrganizationRecord = z.input<typeof organizationRecord>;

type OrganizationChanges = z.output<typeof organizationUpdateRequest> &
  z.output<typeof ownOrganizationUpdateRequest>;

type NewOrganization = Pick<Organization, 'id' | 'name' | 'plan' | 'createdAt'>;

export type OrganizationRepository = ReturnType<typeof createOrganizationRepository>;

/** Stores organizations. Every method is one transaction. */
export function createOrganizationRepository(database: Database) {
  const { read } = database;

  return {
    create(
      organization: NewOrganization,
      client: NewClient,
      clientSecret = '',
      write: WriteRequest | undefined = undefined,
    ) {
      const { id } = organization;
      const audit = { type: 'organization', id, organizationId: id } as const;
      const options = { organizationId: operatorOwner, write, audit, holdsSecret: true };
      return writeOnce(database, options, async (transaction) => {
        await insert(transaction, organization, client);
        const state = { activeUrls: 0, suspendedAt: null, deletedAt: null, excludeAddresses: '' };
        return {
          organization: { ...organization, ...state },
          credentials: { clientId: client.id, clientSecret },
        };
      });
    },

    /** Creates the first organization, its client and its API key. Returns false when there is or was one. */
    async createFirst(
      organization: NewOrganization,
      client: NewClient,
      apiKey: NewApiKey | undefined,
    ): Promise<boolean> {
      // Reads first, because a start must not wait for the write lock of a database in use.
      if (await hadAny(read)) return false;
      return database.writeDirectly(async (transaction) => {
        if (await hadAny(transaction)) return false;
        await insert(transaction, organization, client);
        if (apiKey) await insertApiKey(transaction, apiKey);
        return true;
      });
    },

    /**
     * Changes an organization from the next request on, and returns it. Links and codes beyond a new plan
     * stay. Throws NOT_FOUND, also while it is being deleted.
     */
    update(id: string, changes: OrganizationChanges, now: number, write: WriteRequest | undefined) {
      const options = { organizationId: id, write, audit: { type: 'organization', id } } as const;
      return writeOnce<Organization>(database, options, async (transaction) => {
        const before = await select(transaction).where('id', '=', id).executeTakeFirst();
        if (!before || before.deletedAt !== null) throw new Refusal(noOrganization(id));
        const { name = before.name, plan = before.plan } = changes;
        const { isSuspended = before.suspendedAt !== null } = changes;
        const suspendedAt = isSuspended ? (before.suspendedAt ?? now) : null;
        const excludeAddresses = changes.excludeAddresses?.join() ?? before.excludeAddresses;
        if (plan !== before.plan) await recordPlan(transaction, before, now);
        const settings = { name, plan, exclude_addresses: excludeAddresses };
        const set = { ...settings, suspended_at: suspendedAt };
        await updateWhere(transaction, 'organizations', { id }, set);
        if (suspendedAt !== before.suspendedAt) await changeLinkPolicy(transaction);
        if (suspendedAt === null && before.suspendedAt !== null) {
          // Nothing was sent meanwhile, so endpoints have not failed for longer.
          const active = { organization_id: id, is_active: 1 };
          await updateWhere(transaction, 'webhooks', active, { failing_since: null });
        }
        return { ...before, name, plan, suspendedAt, excludeAddresses };
      });
    },

    /**
     * Suspends an organization for ever, and marks it for deletion, which must be confirmed by its id or name.
     * The name must not be in what is stored with the idempotency key. Throws VALIDATION_FAILED or NOT_FOUND.
     */
    markDeleted(id: string, confirmation: string, now: number, write: WriteRequest | undefined) {
      let begins = false;
      // An entry of no organization, because those of this one are deleted.
      const audit = () => (begins ? ({ type: 'organization', id } as const) : null);
      const options = { organizationId: operatorOwner, write, audit };
      return writeOnce(database, options, async (transaction) => {
        begins = false;
        await lockOrganization(transaction, id);
        const found = await select(transaction).where('id', '=', id).executeTakeFirst();
        if (!found) throw new Refusal(noOrganization(id));
        const { name, deletedAt, suspendedAt } = found;
        if (confirmation !== id && confirmation !== name) {
          const message = `is "${shorten(confirmation)}", but must be the id or the name of the organization, which is deleted with everything that it has`;
          throw new Refusal(invalidField('confirm', message));
        }
        if (deletedAt !== null) return { id, deletedAt };
        const marks = { suspended_at: suspendedAt ?? now, deletion_started_at: now };
        await updateWhere(transaction, 'organizations', { id }, marks);
        // No event is sent any more.
        const ended = { is_active: 0, deleted_at: now };
        await updateWhere(transaction, 'webhooks', { organization_id: id }, ended);
        await changeLinkPolicy(transaction);
        begins = true;
        return { id, deletedAt: now };
      });
    },

    /** Returns the ids of the organizations whose deletion has begun, or whose import has ended early. */
    async listDeleted(now: number): Promise<string[]> {
      const rows = await read
        .selectFrom('organizations')
        .select('id')
        .where('deletion_started_at', 'is not', null)
        .where(({ eb }) => eb(eb.fn.coalesce('import_leased_until', eb.lit(0)), '<=', now))
        .orderBy('deletion_started_at')
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Throws a ConfigError if an organization has, or had, a plan that is not among these. */
    async requirePlans(plans: PlanTable): Promise<void> {
      const { rows } = await sql<{ plan: string }>`
        select plan from organizations union select plan_before from plan_changes
        order by 1`.execute(read);
      const unknown = rows.filter(({ plan }) => !Object.hasOwn(plans, plan));
      if (unknown.length === 0) return;
      const names = unknown.map(({ plan }) => plan).join(', ');
      throw new ConfigError(
        `SHORTY_PLANS lacks plans that organizations have or had: ${names}; add them with their figures`,
      );
    },

    find: (id: string) => select(read).where('id', '=', id).executeTakeFirst(),

    /** Returns the organizations with this id or name that are not being deleted. */
    findNamed: (idOrName: string) =>
      select(read)
        .where('deletion_started_at', 'is', null)
        .where(({ or, eb }) => or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
        .execute(),

    get: (id: string) => select(read).where('id', '=', id).executeTakeFirstOrThrow(),

    list: () => select(read).orderBy('created_at').orderBy('id').execute(),

    /** Returns the id of the oldest organization, that of the operator. */
    async findFirst(): Promise<string> {
      const first = select(read)
        .where('deletion_started_at', 'is', null)
        .orderBy('created_at')
        .orderBy('id');
      return (await first.executeTakeFirstOrThrow()).id;
    },
  };
}

export function listOrganizations(
  database: Database,
  range: PageRange,
): Promise<Page<Organization>> {
  const condition = sql<SqlBool>`import_leased_until is null`;
  const list = { table: 'organizations', condition, ...range } as const;
  return readList<string, Organization>(database, list, (ids) =>
    select(database.read).where('id', 'in', ids).execute(),
  );
}

export function toOrganizationRecord(organization: Organization): OrganizationRecord {
  return presentAs(organizationRecord, withIsoTimes(organization));
}

/** Records the plan before a change, by which earlier months are charged. */
async function recordPlan(
  transaction: WriteTransaction,
  { id, plan }: Organization,
  now: number,
): Promise<void> {
  await transaction
    .insertInto('plan_changes')
    .values({ organization_id: id, changed_at: now, plan_before: plan })
    // Of two changes in one millisecond, the first one has the plan before both.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Selects organizations. One that is being imported is invisible. */
function select(db: Database['read']) {
  return (
    db
      .selectFrom('organizations')
      .select(['id', 'name', 'plan', 'active_urls as activeUrls', 'created_at as createdAt'])
      .select(['suspended_at as suspendedAt', 'deletion_started_at as deletedAt'])
      // Separated by commas.
      .select('exclude_addresses as excludeAddresses')
      .where('import_leased_until', 'is', null)
  );
}

/** Returns whether an organization exists, or was deleted: each deletion changes the link policy. */
async function hadAny(db: Database['read']): Promise<boolean> {
  const row = await select(db).limit(1).executeTakeFirst();
  return row !== undefined || (await readLinkPolicyVersion(db)) > 0;
}

async function insert(
  transaction: WriteTransaction,
  { id, name, plan, createdAt }: NewOrganization,
  client: NewClient,
): Promise<void> {
  await bulkInsert(transaction, 'organizations', [{ id, name, plan, created_at: createdAt }]);
  await insertClient(transaction, client, createdAt);
}
