import { join } from 'node:path';
import { createServer } from '../../src/create-server.js';
import type { PlanName } from '../../src/organizations/plans.js';
import type { ServerOptions, ShortyServer } from '../../src/server-options.js';
import type { ApiResponse } from '../api/api-response.js';
import { contractFetch } from '../api/contract-fetch.js';
import { type Caller, callerOf, startServer } from '../api/start-server.js';
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
  const optionsOf = (name: string) => ({
    databaseUrl,
    journalFolder: join(journalFolder, name),
    shortDomain: 'sho.example',
    ...options,
  });
  const first = await startServer({ clock: Date.now, ...optionsOf('first') });
  const second = createServer({ resolveTxt: first.zone.resolveTxt, ...optionsOf('second') });
  await second.start();
  const nodeOf = (server: ShortyServer): Node => ({
    ...callerOf(server.url, first.token, first.organizationId),
    server,
    databaseUrl,
    visit: (path, { headers, ...init } = {}) =>
      contractFetch(server.url + path, { ...init, headers: { host: 'sho.example', ...headers } }),
  });
  return {
    /** The TXT records that both nodes look up. */
    zone: first.zone,
    nodes: [nodeOf(first.server), nodeOf(second)] as const,
    /** Creates an organization and returns its client on each node. */
    async addOrganization(plan: PlanName) {
      const { token, organizationId } = await first.newcomer(plan);
      return [
        callerOf(first.server.url, token, organizationId),
        callerOf(second.url, token, organizationId),
      ] as const;
    },
    async stop() {
      await Promise.all([first.stop(), second.stop()]);
      await remove();
    },
  };
}
