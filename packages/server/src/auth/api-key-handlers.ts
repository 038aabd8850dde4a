import { ApiError, domainInvalid, invalidField } from '../contract/api-error.js';
import { defaultScopes, type KeyScope, restrictedScopes } from '../contract/define-route.js';
import type { ReadPage } from '../contract/json-text.js';
import { type HandlersOf, replyWithChange } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import type { apiKeyRoutes } from './api-key-contract.js';
import {
  type ApiKeyRecord,
  type ApiKeyRepository,
  newApiKey,
  toApiKeyRecord,
} from './api-key-repository.js';

export function apiKeyHandlers(options: {
  readonly apiKeys: ApiKeyRepository;
  readonly listApiKeys: ReadPage<ApiKeyRecord>;
}): HandlersOf<typeof apiKeyRoutes> {
  const { apiKeys } = options;
  return {
    async createApiKey({ caller, body, context }) {
      const { now } = context;
      const expiresAt = body.expiresAt == null ? null : Date.parse(body.expiresAt);
      if (expiresAt !== null && expiresAt <= now) throw expired(now);
      const { domainId = null, onlyOwnLinks } = body;
      const isRestricted = domainId !== null || onlyOwnLinks;
      const possible = isRestricted ? restrictedScopes : defaultScopes;
      const scopes =
        body.scopes ??
        defaultScopes.filter((scope) => possible.includes(scope) && caller.scopes.has(scope));
      if (isRestricted) checkRestrictedScopes(scopes);
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
      replyWithPage({ name: 'api keys', organizationId }, query, options.listApiKeys),

    deleteApiKey({ params: { id }, context }) {
      const deleting = apiKeys.delete(id, context);
      return replyWithChange(deleting, 'API key', id, toApiKeyRecord);
    },
  };
}

function checkRestrictedScopes(scopes: readonly KeyScope[]): void {
  const other = scopes.find((scope) => !restrictedScopes.includes(scope));
  if (other === undefined) return;
  const message = `must not contain ${other} with domainId or onlyOwnLinks: a restricted key can have ${restrictedScopes.join(', ')}`;
  throw invalidField('scopes', message);
}

function expired(now: number): ApiError {
  const message = `must lie in the future (now is ${new Date(now).toISOString()})`;
  return invalidField('expiresAt', message);
}
