import { z } from 'zod';
import { defineRoute, forOperator, scopes } from '../contract/define-route.js';
import { displayText, instant, pageOf, paging, uuid, uuidParam } from '../contract/fields.js';
import { apiKeyRecord, scopesInput } from './api-key-contract.js';

/** Clients of one organization that are not revoked. */
export const maxClients = 100;

const name = displayText(100, 1).meta({
  description: 'What the client is for.',
  example: 'import job',
});
export const scope = z
  .enum(scopes, { error: `must be one of ${scopes.join(', ')}` })
  .meta({ id: 'Scope' });

export const clientCreateRequest = z
  .strictObject({
    name: name.nullish(),
    scopes: scopesInput(
      scope,
      'What the client may do. Default: every scope but urls:erase and keys:write.',
    ),
  })
  .meta({ id: 'ClientCreateRequest' });

const fields = {
  id: z.string().meta({ example: 'shorty_ci_0f3b' }),
  name: z.string().nullable().meta({
    description: 'What the client is for. Null: it has no name.',
    example: 'import job',
  }),
  scopes: z.array(scope).describe('What the client may do.'),
  createdAt: instant,
  revokedAt: instant.nullable().describe('When the client was revoked. Null: it was not.'),
};

export const clientRecord = z.object(fields).meta({ id: 'Client' });

export const clientCreated = z
  .object({
    ...fields,
    clientSecret: z.string().meta({
      description: 'The secret of the client. Only this response contains it.',
      example: 'shorty_cs_2c81',
    }),
  })
  .meta({ id: 'ClientCreated' });

const organizationId = z.strictObject({ id: uuidParam });
const clientId = z
  .string()
  .min(1)
  .max(200)
  .meta({
    param: { id: 'ClientId' },
    description: 'The id of the client.',
    example: 'shorty_ci_0f3b',
  });
const ofClient = z.strictObject({ id: uuidParam, clientId });
const keyId = uuid.meta({ param: { id: 'KeyId' }, description: 'The id of the API key.' });
const ofKey = z.strictObject({ id: uuidParam, keyId });

const path = '/api/v1/admin/organizations/{id}';

export const clientRoutes = [
  defineRoute('createClient', `POST ${path}/clients`, {
    ...forOperator,
    summary: 'Create a client of an organization',
    description: `The response contains the secret, which is shown only once. An organization has at most ${maxClients} clients that are not revoked.`,
    params: organizationId,
    body: clientCreateRequest,
    responses: { 201: { description: 'The new client', data: clientCreated } },
    errors: ['QUOTA_EXCEEDED'],
  }),
  defineRoute('listClients', `GET ${path}/clients`, {
    ...forOperator,
    summary: 'List the clients of an organization, newest first',
    params: organizationId,
    query: z.strictObject(paging),
    responses: { 200: { description: 'One page of clients', data: pageOf(clientRecord) } },
  }),
  defineRoute('revokeClient', `DELETE ${path}/clients/{clientId}`, {
    ...forOperator,
    summary: 'Revoke a client and its access tokens',
    description: 'The next request with one of its tokens gets 401, on every node.',
    params: ofClient,
    responses: { 200: { description: 'The revoked client', data: clientRecord } },
  }),
  defineRoute('listOrganizationApiKeys', `GET ${path}/api-keys`, {
    ...forOperator,
    summary: 'List the API keys of an organization, newest first',
    params: organizationId,
    query: z.strictObject(paging),
    responses: { 200: { description: 'One page of keys', data: pageOf(apiKeyRecord) } },
  }),
  defineRoute('deleteOrganizationApiKey', `DELETE ${path}/api-keys/{keyId}`, {
    ...forOperator,
    summary: 'Revoke an API key of an organization',
    description: 'The next request with the key gets 401, on every node.',
    params: ofKey,
    responses: { 200: { description: 'The key that was revoked', data: apiKeyRecord } },
  }),
] as const;
