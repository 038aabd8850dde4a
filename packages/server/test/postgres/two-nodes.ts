import { join } from 'node:path';
import { v7 as newUuid } from 'uuid';
import { clientOf } from '../../src/auth/client-repository.js';
import { newSecret } from '../../src/auth/secrets.js';
import { createServer } from '../../src/create-server.js';
import { OrganizationRepository } from '../../src/organizations/organization-repository.js';
import type { PlanName } from '../../src/organizations/plans.js';
import type { ServerOptions, ShortyServer } from '../../src/server-options.js';
import type { ApiResponse } from '../api/api-response.js';
import { contractFetch } from '../api/contract-fetch.js';
import { type Caller, callerOf, grantAllScopes, requestToken } from '../api/start-server.js';
import { Zone } from '../api/zone.js';
import { emptyDatabase } from '../engine.js';

/** A node, with requests of an API client and of visitors. */
export interface Node extends Caller {
  readonly server: ShortyServer;
  readonly databaseUrl: string;
  visit(path: string, init?: RequestInit): Promise<ApiResponse>;
}

/** Starts two servers on one database with the same host for links. */
export async function startTwoNodes(options: ServerOptions = {}) {
  const { databaseUrl, journalFolder, remove } = await emptyDatabase();
  const zone = new Zone();
  const start = async (name: string) => {
    const server = createServer({
      databaseUrl,
      journalFolder: join(journalFolder, name),
      shortDomain: 'sho.example',
      resolveTxt: zone.resolveTxt,
      ...options,
    });
    await server.start();
    return server;
  };
  const [first, second] = [await start('first'), await start('second')];
  const { credentials } = first;
  if (!credentials) throw new Error('the database was not empty');
  await grantAllScopes(first.database);
  const token = await signIn(first, credentials);
  const organizationId = await organizationOf(first, credentials.clientId);
  const nodeOf = (server: ShortyServer): Node => ({
    ...callerOf(server.url, token, organizationId),
    server,
    databaseUrl,
    visit: (path, { headers, ...init } = {}) =>
      contractFetch(server.url + path, { ...init, headers: { host: 'sho.example', ...headers } }),
  });
  return {
    /** The TXT records that both nodes look up. */
    zone,
    nodes: [nodeOf(first), nodeOf(second)] as const,
    /** Creates an organization and returns its client on each node. */
    async addOrganization(plan: PlanName) {
      const id = newUuid();
      const created = {
        clientId: newSecret('clientId'),
        clientSecret: newSecret('clientSecret'),
      };
      await new OrganizationRepository(first.database).create(
        { id, name: plan, plan, createdAt: Date.now() },
        clientOf(id, created),
      );
      const own = await signIn(second, created);
      return [callerOf(first.url, own, id), callerOf(second.url, own, id)] as const;
    },
    async stop() {
      await Promise.all([first.stop(), second.stop()]);
      await remove();
    },
  };
}

async function signIn(
  server: ShortyServer,
  credentials: { readonly clientId: string; readonly clientSecret: string },
): Promise<string> {
  const response = await requestToken(server.url, credentials);
  return (response.data as { accessToken: string }).accessToken;
}

async function organizationOf(server: ShortyServer, clientId: string): Promise<string> {
  const { organization_id } = await server.database.read
    .selectFrom('clients')
    .select('organization_id')
    .where('id', '=', clientId)
    .executeTakeFirstOrThrow();
  return organization_id;
}
