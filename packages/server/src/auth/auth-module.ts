import type { Logger } from 'pino';
import type { z } from 'zod';
import { ApiError, domainInvalid, invalidField } from '../contract/api-error.js';
import { defaultScopes, type KeyScope, restrictedScopes } from '../contract/define-route.js';
import type { ReadPage } from '../contract/json-text.js';
import { type HandlersOf, replyWithChange } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import { addressBlockOf } from '../network/ip-address.js';
import type { apiKeyRoutes } from './api-key-contract.js';
import {
  type ApiKeyRecord,
  createApiKeyRepository,
  newApiKey,
  toApiKeyRecord,
} from './api-key-repository.js';
import { createAuthService } from './auth-service.js';
import type { clientRecord, clientRoutes } from './client-contract.js';
import { createClientRepository, noOrganization, toClientRecord } from './client-repository.js';
import { readBasic, readForm } from './read-credentials.js';
import type { tokenRoutes } from './token-contract.js';

// RFC 6749 §5.1 requires both.
const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

type Routes = readonly [...typeof tokenRoutes, ...typeof apiKeyRoutes, ...typeof clientRoutes];

type AuthModuleOptions = Omit<Parameters<typeof createAuthService>[0], 'clients' | 'apiKeys'> & {
  readonly hasOrganization: (id: string) => Promise<boolean>;
  readonly listClients: ReadPage<z.input<typeof clientRecord>>;
  readonly listApiKeys: ReadPage<ApiKeyRecord>;
  readonly logger: Logger;
};

export function createAuthModule(options: AuthModuleOptions) {
  const { database, logger } = options;
  const clients = createClientRepository(database);
  const apiKeys = createApiKeyRepository(database, (err) =>
    logger.error({ err }, 'storing the last use of an API key failed'),
  );
  const auth = createAuthService({ ...options, clients, apiKeys });

  async function requireOrganization(id: string): Promise<void> {
    if (!(await options.hasOrganization(id))) throw noOrganization(id);
  }

  const handlers: HandlersOf<Routes> = {
    async createToken({ body, form, headers, address }) {
      if (form && form.grant_type !== 'client_credentials') {
        const oauthCode = 'unsupported_grant_type';
        const message = 'grant_type must be client_credentials';
        throw new ApiError('VALIDATION_FAILED', message, { oauthCode });
      }
      const credentials = form ? (readBasic(headers.authorization) ?? readForm(form)) : body;
      const requested = form ? form.scope : body.scope;
      const issued = await auth.issueToken(credentials, requested, addressBlockOf(address));
      const { accessToken, expiresIn, scope } = issued;
      if (!form) {
        const data = { accessToken, tokenType: 'Bearer' as const, expiresIn, scope };
        return { status: 200, data, headers: noStore };
      }
      return {
        status: 200,
        body: { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn, scope },
        headers: noStore,
      };
    },

    async createApiKey({ caller, body, context }) {
      const { now } = context;
      const expiresAt = body.expiresAt == null ? null : Date.parse(body.expiresAt);
      if (expiresAt !== null && expiresAt <= now) {
        const message = `must lie in the future (now is ${new Date(now).toISOString()})`;
        throw invalidField('expiresAt', message);
      }
      const { domainId = null, onlyOwnLinks } = body;
      const isRestricted = domainId !== null || onlyOwnLinks;
      const isPossible = (scope: KeyScope) => !isRestricted || restrictedScopes.includes(scope);
      const scopes =
        body.scopes ??
        defaultScopes.filter((scope) => isPossible(scope) && caller.scopes.has(scope));
      const impossible = scopes.find((scope) => !isPossible(scope));
      if (impossible !== undefined) {
        const message = `must not contain ${impossible} with domainId or onlyOwnLinks: a restricted key can have ${restrictedScopes.join(', ')}`;
        throw invalidField('scopes', message);
      }
      const missing = scopes.filter((scope) => !caller.scopes.has(scope));
      if (missing.length > 0 || scopes.length === 0) {
        throw new ApiError(
          'INSUFFICIENT_SCOPE',
          `A key cannot have more scopes than its creator, which lacks ${missing.join(', ') || 'all scopes that a key can have'}`,
        );
      }
      if (domainId !== null && !(await apiKeys.hasDomain(caller, domainId))) {
        throw domainInvalid(domainId);
      }
      const created = newApiKey({
        organizationId: caller.organizationId,
        name: body.name,
        scopes,
        domainId,
        onlyOwnLinks,
        // Keys cannot have the scope keys:write, so the caller is a person or a client.
        createdBy: (caller.user ?? caller.client)?.id ?? '',
        createdAt: now,
        expiresAt,
      });
      const { result, replayed } = await apiKeys.create(created, context);
      const data = { ...toApiKeyRecord(result.apiKey), key: result.key };
      return { status: 201, replayed, data };
    },

    listApiKeys: ({ caller: { organizationId }, query }) =>
      replyWithPage(organizationId, query, options.listApiKeys),

    deleteApiKey({ params: { id }, context }) {
      const deleting = apiKeys.delete(id, context);
      return replyWithChange(deleting, 'API key', id, toApiKeyRecord);
    },

    async createClient({ params: { id }, body, context }) {
      const { result, replayed } = await clients.create(body, { ...context, organizationId: id });
      const { client, clientSecret } = result;
      return { status: 201, replayed, data: { ...toClientRecord(client), clientSecret } };
    },

    async listClients({ params: { id }, query }) {
      await requireOrganization(id);
      return replyWithPage(id, query, options.listClients);
    },

    revokeClient({ params: { id, clientId }, context }) {
      const revoking = clients.revoke(clientId, { ...context, organizationId: id });
      return replyWithChange(revoking, 'client', clientId, toClientRecord);
    },

    async listOrganizationApiKeys({ params: { id }, query }) {
      await requireOrganization(id);
      return replyWithPage(id, query, options.listApiKeys);
    },

    deleteOrganizationApiKey({ params: { id, keyId }, context }) {
      const deleting = apiKeys.delete(keyId, { ...context, organizationId: id });
      return replyWithChange(deleting, 'API key', keyId, toApiKeyRecord);
    },
  };

  return { auth, handlers };
}
