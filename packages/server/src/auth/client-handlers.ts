import type { z } from 'zod';
import type { ReadPage } from '../contract/json-text.js';
import { type HandlersOf, replyWithChange } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import type { Clock } from '../ports.js';
import { type ApiKeyRecord, type ApiKeyRepository, toApiKeyRecord } from './api-key-repository.js';
import type { clientRecord, clientRoutes } from './client-contract.js';
import { type ClientRepository, noOrganization, toClientRecord } from './client-repository.js';

export function clientHandlers(options: {
  readonly clients: ClientRepository;
  readonly apiKeys: ApiKeyRepository;
  readonly hasOrganization: (id: string) => Promise<boolean>;
  readonly listClients: ReadPage<z.input<typeof clientRecord>>;
  readonly listApiKeys: ReadPage<ApiKeyRecord>;
  readonly clock: Clock;
}): HandlersOf<typeof clientRoutes> {
  const { clients, apiKeys, clock } = options;

  async function requireOrganization(id: string): Promise<void> {
    if (!(await options.hasOrganization(id))) throw noOrganization(id);
  }

  return {
    async createClient({ params: { id }, body, write }) {
      const context = { organizationId: id, now: clock(), write };
      const { result, replayed } = await clients.create(body, context);
      const { client, clientSecret } = result;
      return { status: 201, replayed, data: { ...toClientRecord(client), clientSecret } };
    },

    async listClients({ params: { id }, query }) {
      await requireOrganization(id);
      return replyWithPage({ name: 'clients', organizationId: id }, query, options.listClients);
    },

    updateClient({ params: { id, clientId }, body, write }) {
      const context = { organizationId: id, now: clock(), write };
      const changing = clients.update(clientId, columnsOf(body), context);
      return replyWithChange(changing, 'client', clientId, toClientRecord);
    },

    revokeClient({ params: { id, clientId }, write }) {
      const revoking = clients.revoke(clientId, { organizationId: id, now: clock(), write });
      return replyWithChange(revoking, 'client', clientId, toClientRecord);
    },

    async listOrganizationApiKeys({ params: { id }, query }) {
      await requireOrganization(id);
      return replyWithPage({ name: 'api keys', organizationId: id }, query, options.listApiKeys);
    },

    updateOrganizationApiKey({ params: { id, keyId }, body, write }) {
      const changing = apiKeys.update(id, keyId, columnsOf(body), write);
      return replyWithChange(changing, 'API key', keyId, toApiKeyRecord);
    },

    deleteOrganizationApiKey: ({ params: { id, keyId }, write }) =>
      replyWithChange(apiKeys.delete(id, keyId, write), 'API key', keyId, toApiKeyRecord),
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
