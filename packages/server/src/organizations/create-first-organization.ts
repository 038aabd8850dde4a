import { randomBytes } from 'node:crypto';
import { v7 as newUuid } from 'uuid';
import { AuthService, type Credentials, clientOf } from '../auth/auth-service.js';
import { ClientRepository } from '../auth/client-repository.js';
import type { Config } from '../config.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { OrganizationRepository } from './organization-repository.js';

/** Gives an empty database its first organization and client; the credentials, if this did so. */
export async function createFirstOrganization(
  database: Database,
  config: Pick<Config, 'credentials'>,
  clock: Clock,
): Promise<Credentials | undefined> {
  const organizations = new OrganizationRepository(database);
  // Nothing is written when there is nothing to do: a start does not wait for a locked database.
  if ((await organizations.list()).length > 0) return undefined;
  const auth = new AuthService(new ClientRepository(database), { clock, randomBytes });
  const first = config.credentials ?? auth.newCredentials();
  const id = newUuid();
  // A self-hoster has no limits.
  const isFirst = await organizations.createFirst(
    { id, name: 'default', plan: 'enterprise', createdAt: clock() },
    clientOf(id, first),
  );
  return isFirst ? first : undefined;
}
