import { v7 as newUuid } from 'uuid';
import { clientOf, newCredentials } from '../../auth/client-repository.js';
import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { firstClientScopes } from '../../contract/define-route.js';
import {
  createOrganizationRepository,
  toOrganizationRecord,
} from '../../organizations/organization-repository.js';
import { readPlans } from '../../organizations/plans.js';
import { describeCredentials } from './clients.js';
import { fromCommand, withDatabase } from './open-database.js';
import { print, printRecords } from './print.js';

interface CreateOptions {
  readonly name: string;
  readonly plan: string;
  readonly json?: boolean;
}

export async function createOrganization({ name, plan, json }: CreateOptions): Promise<void> {
  const plans = readPlans(readConfig(process.env).plansPath);
  if (!Object.hasOwn(plans, plan)) {
    throw new ConfigError(`--plan ${plan}: must be one of ${Object.keys(plans).join(', ')}`);
  }
  if (name.trim() === '') throw new ConfigError('--name must not be empty');
  const created = await withDatabase(async (database) => {
    const id = newUuid();
    const credentials = newCredentials();
    await createOrganizationRepository(database).create(
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

export async function listOrganizations({ json }: { readonly json?: boolean }): Promise<void> {
  const organizations = await withDatabase((database) =>
    createOrganizationRepository(database).list(),
  );
  const rows = organizations.map(toOrganizationRecord);
  const header = ['ID', 'PLAN', 'ACTIVE LINKS', 'SUSPENDED', 'NAME'];
  printRecords(json, rows, header, ({ id, plan, activeUrls, suspendedAt, name }) => [
    ...[id, plan, activeUrls.toLocaleString('en'), suspendedAt ?? '-', name],
  ]);
}
