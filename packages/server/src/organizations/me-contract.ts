import { z } from 'zod';
import { defineRoute, scopes } from '../contract/define-route.js';
import { instant, uuidText } from '../contract/fields.js';
import { planName } from './plans.js';

const me = z
  .object({
    organization: z.object({
      id: uuidText,
      name: z.string().meta({ example: 'default' }),
      plan: planName,
    }),
    scopes: z.array(z.enum(scopes)).describe('What this token or API key may do.'),
    client: z
      .object({ id: z.string().meta({ example: 'shorty_ci_0f3b' }) })
      .nullable()
      .describe('The client of the access token. Null for an API key.'),
    apiKey: z
      .object({
        id: uuidText,
        name: z.string().meta({ example: 'deploy script' }),
        expiresAt: instant.nullable().describe('Null: never.'),
        domainId: uuidText.nullable().describe('The domain that it is restricted to. Null: none.'),
        onlyOwnLinks: z.boolean().describe('Whether it is restricted to the links it created.'),
      })
      .nullable()
      .describe('The API key of the request. Null for an access token.'),
    user: z
      .object({
        id: uuidText,
        email: z.string().nullable().meta({ example: 'ada@example.com' }),
        role: z.string().meta({ example: 'owner' }),
        hasPassword: z.boolean().describe('False: the person signs in by the provider only.'),
      })
      .nullable()
      .describe('The person who is signed in. Null for a token or an API key.'),
  })
  .meta({ id: 'Me' });

export const meRoutes = [
  defineRoute('getMe', 'GET /api/v1/me', {
    tag: 'Authentication',
    summary: 'Read who the caller is',
    description: 'The organization, its plan, and the scopes of the access token or API key.',
    access: 'token',
    takesRestrictedKeys: true,
    responses: { 200: { description: 'The caller', data: me } },
  }),
] as const;
