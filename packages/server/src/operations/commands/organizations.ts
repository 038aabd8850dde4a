import { randomBytes } from 'node:crypto';
import { v7 as newUuid } from 'uuid';
import { clientOf, newCredentials } from '../../auth/auth-service.js';
import { ConfigError } from '../../config-error.js';
import { withIsoTimes } from '../../contract/present.js';
import { OrganizationRepository } from '../../organizations/organization-repository.js';
import { type PlanName, standardPlans } from '../../organizations/plans.js';
import { describeCredentials } from './clients.js';
import { missingOrganization, withDatabase } from './open-database.js';
import { print } from './print.js';

interface PlanOptions {
  readonly plan: PlanName;
  readonly json?: boolean;
}

export async function createOrganization(options: PlanOptions & { name: string }): Promise<void> {
  const { name, plan, json } = options;
  if (name.trim() === '') throw new ConfigError('--name must not be empty');
  const created = await withDatabase(async (database) => {
    const credentials = newCredentials(randomBytes);
    const id = newUuid();
    await new OrganizationRepository(database).create(
      { id, name, plan, createdAt: Date.now() },
      clientOf(id, credentials),
    );
    return { organizationId: id, ...credentials };
  });
  print(
    json
      ? JSON.stringify(created)
      : `Organization   ${created.organizationId}\n${describeCredentials(created)}`,
  );
}

export async function changePlan(options: PlanOptions & { org: string }): Promise<void> {
  const { org, plan, json } = options;
  const before = await withDatabase((database) =>
    new OrganizationRepository(database).changePlan(org, plan, Date.now()),
  );
  if (!before) throw missingOrganization(org);
  const { name, activeUrls } = before;
  const { linkBundle } = standardPlans[plan];
  const beyond = linkBundle === null ? 0 : Math.max(0, activeUrls - linkBundle);
  if (json) {
    const changed = { organizationId: org, plan, planBefore: before.plan, activeUrls, linkBundle };
    print(JSON.stringify(changed));
    return;
  }
  print(
    before.plan === plan
      ? `${name} already has the plan ${plan}.`
      : `${name} has the plan ${plan} now; it was ${before.plan}.`,
  );
  if (beyond > 0) {
    print(
      `It has ${activeUrls} active links, ${beyond} more than the plan includes: they continue to work, but no link can be added.`,
    );
  }
}

export async function listOrganizations({ json }: { readonly json?: boolean }): Promise<void> {
  const organizations = await withDatabase((database) =>
    new OrganizationRepository(database).list(),
  );
  const rows = organizations.map(withIsoTimes);
  if (json) {
    print(JSON.stringify(rows));
    return;
  }
  for (const { id, plan, activeUrls, name } of rows) {
    print(`${id}  ${plan.padEnd(10)}  ${String(activeUrls).padStart(9)} links  ${name}`);
  }
}
