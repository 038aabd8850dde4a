import { randomBytes } from 'node:crypto';
import { v7 as newUuid } from 'uuid';
import { type Credentials, clientOf, newCredentials } from '../auth/auth-service.js';
import type { Config } from '../config.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { OrganizationRepository } from './organization-repository.js';

/** Creates the first organization and its client in an empty database. Returns their credentials. */
export async function createFirstOrganization(
  database: Database,
  config: Pick<Config, 'credentials'>,
  clock: Clock,
): Promise<Credentials | undefined> {
  const first = config.credentials ?? newCredentials(randomBytes);
  const id = newUuid();
  // The first organization belongs to the operator, who has no limits.
  const isFirst = await new OrganizationRepository(database).createFirst(
    { id, name: 'default', plan: 'enterprise', createdAt: clock() },
    clientOf(id, first),
  );
  return isFirst ? first : undefined;
}
