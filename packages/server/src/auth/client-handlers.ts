import { notFound } from '../contract/api-error.js';
import type { PageRange } from '../contract/fields.js';
import type { PageText } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import type { ApiKeyRepository } from './api-key-repository.js';
import type { clientRoutes } from './client-contract.js';
import { type ClientService, noOrganization, toInstant } from './client-service.js';
import { type ApiKeyRecord, toApiKeyRecord } from './present-api-key.js';
import { type ClientRecord, toClientRecord } from './present-client.js';

export interface ClientHandlerOptions {
  readonly clients: ClientService;
  readonly apiKeys: ApiKeyRepository;
  readonly hasOrganization: (id: string) => Promise<boolean>;
  readonly listClients: (
    organizationId: string,
    range: PageRange,
  ) => Promise<PageText<ClientRecord>>;
  readonly listApiKeys: (
    organizationId: string,
    range: PageRange,
  ) => Promise<PageText<ApiKeyRecord>>;
}

/** Administrates the clients and the API keys of organizations, for the operator. */
export function clientHandlers({
  clients,
  apiKeys,
  hasOrganization,
  listClients,
  listApiKeys,
}: ClientHandlerOptions): HandlersOf<typeof clientRoutes> {
  async function requireOrganization(id: string): Promise<void> {
    if (!(await hasOrganization(id))) throw noOrganization(id);
  }

  return {
    async createClient({ params: { id }, body, write }) {
      const { client, clientSecret, replayed } = await clients.create(id, body, write);
      return { status: 201, replayed, data: { ...toClientRecord(client), clientSecret } };
    },

    async listClients({ params: { id }, query }) {
      await requireOrganization(id);
      const list = { name: 'clients', organizationId: id, ids: 'text' } as const;
      const { filter, reply } = openPage(list, query);
      return reply(await listClients(id, filter));
    },

    async updateClient({ params: { id, clientId }, body, write }) {
      const { client, replayed } = await clients.update(id, clientId, body, write);
      return { status: 200, replayed, data: toClientRecord(client) };
    },

    async revokeClient({ params: { id, clientId }, write }) {
      const { client, replayed } = await clients.revoke(id, clientId, write);
      return { status: 200, replayed, data: toClientRecord(client) };
    },

    async listOrganizationApiKeys({ params: { id }, query }) {
      await requireOrganization(id);
      const list = { name: 'api keys', organizationId: id, ids: 'text' } as const;
      const { filter, reply } = openPage(list, query);
      return reply(await listApiKeys(id, filter));
    },

    async updateOrganizationApiKey({ params: { id, keyId }, body, write }) {
      const changes = { name: body.name, expiresAt: toInstant(body.expiresAt) };
      const { result, replayed } = await apiKeys.update(id, keyId, changes, write);
      if (!result) throw notFound('API key', keyId, replayed);
      return { status: 200, replayed, data: toApiKeyRecord(result) };
    },

    async deleteOrganizationApiKey({ params: { id, keyId }, write }) {
      const { result, replayed } = await apiKeys.delete(id, keyId, write);
      if (!result) throw notFound('API key', keyId, replayed);
      return { status: 200, replayed, data: toApiKeyRecord(result) };
    },
  };
}
