import type { z } from 'zod';
import type { ReadPage } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import { requireFound } from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import { type ApiKeyRecord, type ApiKeyRepository, toApiKeyRecord } from './api-key-repository.js';
import type { clientRecord, clientRoutes } from './client-contract.js';
import { type ClientRepository, noOrganization, toClientRecord } from './client-repository.js';

export interface ClientHandlerOptions {
  readonly clients: ClientRepository;
  readonly apiKeys: ApiKeyRepository;
  readonly hasOrganization: (id: string) => Promise<boolean>;
  readonly listClients: ReadPage<z.input<typeof clientRecord>>;
  readonly listApiKeys: ReadPage<ApiKeyRecord>;
  readonly clock: Clock;
}

export function clientHandlers(options: ClientHandlerOptions): HandlersOf<typeof clientRoutes> {
  const { clients, apiKeys, clock } = options;

  async function requireOrganization(id: string): Promise<void> {
    if (!(await options.hasOrganization(id))) throw noOrganization(id);
  }

  return {
    async createClient({ params: { id }, body, write }) {
      const context = { organizationId: id, now: clock(), write };
      const { client, clientSecret, replayed } = await clients.create(body, context);
      return { status: 201, replayed, data: { ...toClientRecord(client), clientSecret } };
    },

    async listClients({ params: { id }, query }) {
      await requireOrganization(id);
      const list = { name: 'clients', organizationId: id, ids: 'text' } as const;
      const { filter, reply } = openPage(list, query);
      return reply(await options.listClients(id, filter));
    },

    async updateClient({ params: { id, clientId }, body, write }) {
      const context = { organizationId: id, now: clock(), write };
      const written = await clients.update(clientId, columnsOf(body), context);
      const { result, replayed } = requireFound(written, 'client', clientId);
      return { status: 200, replayed, data: toClientRecord(result) };
    },

    async revokeClient({ params: { id, clientId }, write }) {
      const context = { organizationId: id, now: clock(), write };
      const written = await clients.revoke(clientId, context);
      const { result, replayed } = requireFound(written, 'client', clientId);
      return { status: 200, replayed, data: toClientRecord(result) };
    },

    async listOrganizationApiKeys({ params: { id }, query }) {
      await requireOrganization(id);
      const list = { name: 'api keys', organizationId: id, ids: 'text' } as const;
      const { filter, reply } = openPage(list, query);
      return reply(await options.listApiKeys(id, filter));
    },

    async updateOrganizationApiKey({ params: { id, keyId }, body, write }) {
      const written = await apiKeys.update(id, keyId, columnsOf(body), write);
      const { result, replayed } = requireFound(written, 'API key', keyId);
      return { status: 200, replayed, data: toApiKeyRecord(result) };
    },

    async deleteOrganizationApiKey({ params: { id, keyId }, write }) {
      const written = await apiKeys.delete(id, keyId, write);
      const { result, replayed } = requireFound(written, 'API key', keyId);
      return { status: 200, replayed, data: toApiKeyRecord(result) };
    },
  };
}

function columnsOf<Name extends string | null>({
  name,
  expiresAt,
}: {
  readonly name?: Name | undefined;
  readonly expiresAt?: string | null | undefined;
}) {
  return {
    ...(name !== undefined && { name }),
    ...(expiresAt !== undefined && { expires_at: expiresAt && Date.parse(expiresAt) }),
  } as { readonly name?: Name; readonly expires_at?: number | null };
}
