import { randomBytes } from 'node:crypto';
import { AuthService } from '../../auth/auth-service.js';
import { ClientRepository } from '../../auth/client-repository.js';
import { ConfigError } from '../../config-error.js';
import { scopes as allScopes, type Scope } from '../../contract/define-route.js';
import { OrganizationRepository } from '../../organizations/organization-repository.js';
import { withDatabase } from './open-database.js';

interface CreateOptions {
  readonly org: string;
  readonly scopes?: string;
  readonly json?: boolean;
}

export async function createClient({ org, scopes, json }: CreateOptions): Promise<void> {
  const chosen = scopes === undefined ? undefined : parseScopes(scopes);
  const credentials = await withDatabase(async (database) => {
    const organizations = await new OrganizationRepository(database).list();
    if (!organizations.some(({ id }) => id === org)) {
      throw new ConfigError(`there is no organization ${org}: see shorty-server orgs list`);
    }
    const auth = new AuthService(new ClientRepository(database), { clock: Date.now, randomBytes });
    return auth.createClient(org, chosen);
  });
  process.stdout.write(
    json
      ? `${JSON.stringify(credentials)}\n`
      : `Client id      ${credentials.clientId}\nClient secret  ${credentials.clientSecret}   (shown only now)\n`,
  );
}

export async function revokeClient(clientId: string): Promise<void> {
  const revoked = await withDatabase((database) =>
    new ClientRepository(database).revoke(clientId, Date.now()),
  );
  if (!revoked) throw new ConfigError(`there is no active client ${clientId}`);
  process.stdout.write(`Revoked ${clientId}; its tokens are no longer accepted.\n`);
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
