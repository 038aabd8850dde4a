import { v7 as newUuid } from 'uuid';
import { clientOf, newCredentials } from '../../auth/client-repository.js';
import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { firstClientScopes } from '../../contract/define-route.js';
import { deleteOrganization as deleteMarked } from '../../deletion/delete-organization.js';
import { formatCount } from '../../format-count.js';
import {
  type OrganizationChanges,
  OrganizationRepository,
  toOrganizationRecord,
} from '../../organizations/organization-repository.js';
import { type PlanTable, planOf, readPlans } from '../../organizations/plans.js';
import type { Database } from '../../storage/database.js';
import { describeCredentials } from './clients.js';
import {
  fromCommand,
  listCommand,
  onlyOne,
  withDatabase,
  withOrganization,
} from './open-database.js';
import { print, printRecords } from './print.js';

interface PlanOptions {
  readonly plan: string;
  readonly json?: boolean;
}

export async function createOrganization(options: PlanOptions & { name: string }): Promise<void> {
  const { name, plan, json } = options;
  knownPlans(plan);
  if (name.trim() === '') throw new ConfigError('--name must not be empty');
  const created = await withDatabase(async (database) => {
    const id = newUuid();
    const credentials = newCredentials();
    await new OrganizationRepository(database).create(
      { id, name, plan, createdAt: Date.now() },
      clientOf(id, credentials, firstClientScopes),
      credentials.clientSecret,
      fromCommand('createOrganization'),
    );
    return { organizationId: id, ...credentials };
  });
  print(
    json
      ? JSON.stringify(created)
      : `Organization   ${created.organizationId}\n${describeCredentials(created)}`,
  );
}

/** Returns the plans of the server. Throws a ConfigError if they lack this one. */
function knownPlans(plan: string): PlanTable {
  const plans = readPlans(readConfig(process.env).plansPath);
  if (Object.hasOwn(plans, plan)) return plans;
  throw new ConfigError(`--plan ${plan}: must be one of ${Object.keys(plans).join(', ')}`);
}

export async function changePlan(options: PlanOptions & { org: string }): Promise<void> {
  const { org, plan, json } = options;
  const plans = knownPlans(plan);
  const { before } = await withOrganization(org, (database, id) => update(database, id, { plan }));
  const { id, name, activeUrls } = before;
  const { linkBundle } = planOf(plans, plan);
  const beyond = linkBundle === null ? 0 : Math.max(0, activeUrls - linkBundle);
  const changed = { organizationId: id, plan, planBefore: before.plan, activeUrls, linkBundle };
  if (json) return print(JSON.stringify(changed));
  print(
    before.plan === plan
      ? `${name} already has the plan ${plan}.`
      : `${name} has the plan ${plan} now; it was ${before.plan}.`,
  );
  if (beyond > 0) {
    print(
      `It has ${formatCount(activeUrls, 'active link')}, ${beyond} more than the plan includes: they continue to work, but no link can be added.`,
    );
  }
}

export async function renameOrganization(options: { org: string; name: string }): Promise<void> {
  const { org, name } = options;
  if (name.trim() === '') throw new ConfigError('--name must not be empty');
  const { before } = await withOrganization(org, (database, id) => update(database, id, { name }));
  print(`${before.name} has the name ${name} now.`);
}

/** Suspends or resumes an organization. Running servers obey within a second. */
export async function suspendOrganization(org: string, isSuspended: boolean): Promise<void> {
  const { before, organization } = await withOrganization(org, (database, id) =>
    update(database, id, { isSuspended }),
  );
  const { name, suspendedAt } = organization;
  const state = isSuspended ? 'suspended' : 'active';
  const changed = before.suspendedAt === suspendedAt ? `is already ${state}` : `is ${state} now`;
  print(`${name} ${changed}.`);
}

/**
 * Deletes an organization and everything that it has. Running servers refuse its requests within a second.
 * A repeated command continues one that was interrupted.
 */
export async function deleteOrganization(options: { org: string; confirm: string }): Promise<void> {
  const { org, confirm } = options;
  await withDatabase(async (database) => {
    const organizations = new OrganizationRepository(database);
    const named = await organizations.findNamed(org);
    // One whose deletion was interrupted is named by its id only.
    const { id } =
      named.length > 0 ? onlyOne('organization', org, named, listCommand) : { id: org };
    await organizations.markDeleted(id, confirm, Date.now(), fromCommand('deleteOrganization'));
    await deleteMarked(database, id, Date.now());
  });
  print(`${org} is deleted.`);
}

function update(database: Database, id: string, changes: OrganizationChanges) {
  const write = fromCommand('updateOrganization', changes);
  return new OrganizationRepository(database).update(id, changes, Date.now(), write);
}

export async function listOrganizations({ json }: { readonly json?: boolean }): Promise<void> {
  const organizations = await withDatabase((database) =>
    new OrganizationRepository(database).list(),
  );
  const rows = organizations.map(toOrganizationRecord);
  const header = ['ID', 'PLAN', 'ACTIVE LINKS', 'SUSPENDED', 'NAME'];
  printRecords(json, rows, header, ({ id, plan, activeUrls, suspendedAt, name }) => [
    ...[id, plan, activeUrls.toLocaleString('en'), suspendedAt ?? '-', name],
  ]);
}
