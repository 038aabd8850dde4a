import type { z } from 'zod';
import type { ReadPage } from '../contract/json-text.js';
import { type HandlersOf, replyWithChange } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import { type ApiKeyRecord, type ApiKeyRepository, toApiKeyRecord } from './api-key-repository.js';
import type { clientRecord, clientRoutes } from './client-contract.js';
import { type ClientRepository, noOrganization, toClientRecord } from './client-repository.js';

export function clientHandlers(options: {
  readonly clients: ClientRepository;
  readonly apiKeys: ApiKeyRepository;
  readonly hasOrganization: (id: string) => Promise<boolean>;
  readonly listClients: ReadPage<z.input<typeof clientRecord>>;
  readonly listApiKeys: ReadPage<ApiKeyRecord>;
}): HandlersOf<typeof clientRoutes> {
  const { clients, apiKeys } = options;

  async function requireOrganization(id: string): Promise<void> {
    if (!(await options.hasOrganization(id))) throw noOrganization(id);
  }

  return {
    async createClient({ params: { id }, body, context }) {
      const { result, replayed } = await clients.create(body, { ...context, organizationId: id });
      const { client, clientSecret } = result;
      return { status: 201, replayed, data: { ...toClientRecord(client), clientSecret } };
    },

    async listClients({ params: { id }, query }) {
      await requireOrganization(id);
      return replyWithPage({ name: 'clients', organizationId: id }, query, options.listClients);
    },

    updateClient({ params: { id, clientId }, body, context }) {
      const changing = clients.update(clientId, body, { ...context, organizationId: id });
      return replyWithChange(changing, 'client', clientId, toClientRecord);
    },

    revokeClient({ params: { id, clientId }, context }) {
      const revoking = clients.revoke(clientId, { ...context, organizationId: id });
      return replyWithChange(revoking, 'client', clientId, toClientRecord);
    },

    async listOrganizationApiKeys({ params: { id }, query }) {
      await requireOrganization(id);
      return replyWithPage({ name: 'api keys', organizationId: id }, query, options.listApiKeys);
    },

    updateOrganizationApiKey({ params: { id, keyId }, body, context }) {
      const changing = apiKeys.update(keyId, body, { ...context, organizationId: id });
      return replyWithChange(changing, 'API key', keyId, toApiKeyRecord);
    },

    deleteOrganizationApiKey({ params: { id, keyId }, context }) {
      const deleting = apiKeys.delete(keyId, { ...context, organizationId: id });
      return replyWithChange(deleting, 'API key', keyId, toApiKeyRecord);
    },
  };
}
