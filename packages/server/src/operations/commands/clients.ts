import { type Credentials, createClientRepository } from '../../auth/client-repository.js';
import { ConfigError } from '../../config-error.js';
import { scopes as allScopes, type Scope } from '../../contract/define-route.js';
import { fromCommand, onlyOne, withDatabase, withOrganization } from './open-database.js';
import { print } from './print.js';

interface CreateOptions {
  readonly org: string;
  readonly name?: string;
  readonly scopes?: string;
  readonly json?: boolean;
}

export async function createClient({ org, name, scopes, json }: CreateOptions): Promise<void> {
  const fields = { name, scopes: scopes === undefined ? undefined : parseScopes(scopes) };
  const { result } = await withOrganization(org, (database, organizationId) => {
    const context = { organizationId, now: Date.now(), write: fromCommand('createClient') };
    return createClientRepository(database).create(fields, context);
  });
  const { client, clientSecret } = result;
  const credentials = { clientId: client.id, clientSecret };
  print(json ? JSON.stringify(credentials) : describeCredentials(credentials));
}

export function describeCredentials({ clientId, clientSecret }: Credentials): string {
  return `Client id      ${clientId}\nClient secret  ${clientSecret}   (shown only now)`;
}

export async function revokeClient(idOrName: string): Promise<void> {
  const { id } = await withDatabase(async (database) => {
    const clients = createClientRepository(database);
    const named = await clients.findActive(idOrName);
    const client = onlyOne('active client', idOrName, named, 'shorty admin clients list');
    const write = fromCommand('revokeClient');
    await clients.revoke(client.id, { ...client, now: Date.now(), write });
    return client;
  });
  print(`Revoked ${id}; its tokens are no longer accepted.`);
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
