import { randomBytes } from 'node:crypto';
import { type Credentials, clientOf, newCredentials } from '../../auth/auth-service.js';
import { ClientRepository } from '../../auth/client-repository.js';
import { ConfigError } from '../../config-error.js';
import { scopes as allScopes, type Scope } from '../../contract/define-route.js';
import { withDatabase, withOrganization } from './open-database.js';
import { print } from './print.js';

interface CreateOptions {
  readonly org: string;
  readonly scopes?: string;
  readonly json?: boolean;
}

export async function createClient({ org, scopes, json }: CreateOptions): Promise<void> {
  const chosen = scopes === undefined ? undefined : parseScopes(scopes);
  const credentials = newCredentials(randomBytes);
  await withOrganization(org, (database) =>
    new ClientRepository(database).create(clientOf(org, credentials, chosen), Date.now()),
  );
  print(json ? JSON.stringify(credentials) : describeCredentials(credentials));
}

/** Returns the lines that show new credentials to people. */
export function describeCredentials({ clientId, clientSecret }: Credentials): string {
  return `Client id      ${clientId}\nClient secret  ${clientSecret}   (shown only now)`;
}

export async function revokeClient(clientId: string): Promise<void> {
  const revoked = await withDatabase((database) =>
    new ClientRepository(database).revoke(clientId, Date.now()),
  );
  if (!revoked) throw new ConfigError(`there is no active client ${clientId}`);
  print(`Revoked ${clientId}; its tokens are no longer accepted.`);
}

function parseScopes(text: string): Scope[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const unknown = words.filter((word) => !allScopes.some((scope) => scope === word));
  if (unknown.length > 0 || words.length === 0) {
    throw new ConfigError(
      `--scopes ${JSON.stringify(text)}: unknown ${unknown.join(' ') || 'scope'}; the scopes are ${allScopes.join(' ')}`,
    );
  }
  return words as Scope[];
}
