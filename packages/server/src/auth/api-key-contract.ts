import { z } from 'zod';
import { defineRoute, keyScopes } from '../contract/define-route.js';
import {
  displayText,
  instant,
  pageOf,
  paging,
  timestamp,
  uuid,
  uuidParam,
  uuidText,
} from '../contract/fields.js';

/** API keys of one organization, expired ones included. */
export const maxApiKeys = 100;

export const apiKeyName = displayText(100, 1).meta({
  description: 'What the key is for.',
  example: 'deploy script',
});

const domainId = uuid;
const onlyOwnLinks = z.boolean();

const keyScope = z
  .enum(keyScopes, { error: `must be one of ${keyScopes.join(', ')}` })
  .meta({ id: 'KeyScope' });

/** The scopes that a request asks for, without repetitions. */
export function scopesInput<Scope extends z.ZodType>(scope: Scope, description: string) {
  return z
    .array(scope)
    .min(1, 'must name at least one scope')
    .max(100)
    .overwrite((given) => [...new Set(given)])
    .optional()
    .meta({ description, example: ['urls:read', 'urls:write'] });
}

export const apiKeyCreateRequest = z
  .strictObject({
    name: apiKeyName,
    scopes: scopesInput(
      keyScope,
      'What the key may do. The caller must have each of these scopes. Default: all scopes of the caller but urls:erase and keys:write, which no key can have. A restricted key has at most those of links, QR codes and analytics.',
    ),
    domainId: domainId
      .nullish()
      .describe('Restricts the key to the links of this active custom domain. Null: it is not.'),
    onlyOwnLinks: onlyOwnLinks
      .default(false)
      .describe('Whether the key is restricted to the links that it creates.'),
    expiresAt: timestamp
      .nullish()
      .describe('When the key stops working. Must lie in the future. Null: never.'),
  })
  .meta({ id: 'ApiKeyCreateRequest' });

const fields = {
  id: uuidText,
  name: z.string().meta({ example: 'deploy script' }),
  start: z.string().meta({
    description: 'The first characters of the key, by which people recognize it.',
    example: 'shorty_ak_mZ4c',
  }),
  scopes: z.array(keyScope),
  domainId: domainId
    .nullable()
    .describe('The custom domain to whose links the key is restricted. Null: it is not.'),
  onlyOwnLinks: onlyOwnLinks.describe('Whether it is restricted to the links that it created.'),
  createdBy: z.string().meta({
    description: 'The id of the person or the client that created the key.',
    example: 'shorty_ci_0f3b',
  }),
  createdAt: instant,
  expiresAt: instant.nullable().describe('Null: the key does not expire.'),
  lastUsedAt: instant
    .nullable()
    .describe('When a request last used the key, at most a minute late. Null: never.'),
};

export const apiKeyRecord = z.object(fields).meta({ id: 'ApiKey' });

export const apiKeyCreated = z
  .object({
    ...fields,
    key: z.string().meta({
      description: 'The key, to send as `Authorization: Bearer …`. Only this response contains it.',
      example: 'shorty_ak_mZ4cW3pPzYHqUnTkTqPHyAeqJvUqZ4Yt6mC8b1fZr0dE',
    }),
  })
  .meta({ id: 'ApiKeyCreated' });

const access = { tag: 'Authentication', access: { scope: 'keys:write' } } as const;

export const apiKeyRoutes = [
  defineRoute('createApiKey', 'POST /api/v1/api-keys', {
    ...access,
    summary: 'Create an API key',
    description: `A key is a token that lasts until it expires or is deleted. An organization has at most ${maxApiKeys} keys. Only a client with the scope keys:write, or an owner who is signed in, can create, list and delete keys. A key that is restricted by domainId or onlyOwnLinks reads and writes only these links, their tags, QR codes and clicks; other links are missing (404), and other routes refuse it with INSUFFICIENT_SCOPE. Its new links are on its domain by default.`,
    body: apiKeyCreateRequest,
    responses: { 201: { description: 'The new key', data: apiKeyCreated } },
    errors: ['QUOTA_EXCEEDED', 'DOMAIN_INVALID'],
  }),
  defineRoute('listApiKeys', 'GET /api/v1/api-keys', {
    ...access,
    summary: 'List API keys, newest first',
    query: z.strictObject(paging),
    responses: { 200: { description: 'One page of keys', data: pageOf(apiKeyRecord) } },
  }),
  defineRoute('deleteApiKey', 'DELETE /api/v1/api-keys/{id}', {
    ...access,
    summary: 'Revoke an API key',
    description: 'The next request with the key gets 401, on every node.',
    params: z.strictObject({ id: uuidParam }),
    responses: { 200: { description: 'The key that was revoked', data: apiKeyRecord } },
  }),
] as const;
