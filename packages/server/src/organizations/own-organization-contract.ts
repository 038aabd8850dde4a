import { z } from 'zod';
import { scope } from '../auth/client-contract.js';
import { shorten } from '../contract/api-error.js';
import { defineRoute } from '../contract/define-route.js';
import { instant, parsedText, uuidText } from '../contract/fields.js';
import { canonicalRange } from '../network/ip-address.js';
import { planName } from './plans.js';

const me = z
  .object({
    organization: z.object({
      id: uuidText,
      name: z.string().meta({ example: 'default' }),
      plan: planName,
    }),
    scopes: z.array(scope).describe('What this token or API key may do.'),
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

export const maxExcludedAddresses = 100;
// Longer than each address with a prefix.
const maxAddressLength = 64;
const addressRule = 'must be an IP address or a CIDR range, such as 203.0.113.7 or 2001:db8::/32';
const countRule = `must be a list of at most ${maxExcludedAddresses} addresses and ranges`;

const bodyOf = (regex: RegExp) => regex.source.replace(/^\^|\$$/g, '');
const ipv4 = bodyOf(z.core.regexes.ipv4);
const ipv6 = bodyOf(z.core.regexes.ipv6);
// The prefix of an IPv4-mapped range is at least that of all mapped addresses.
const addressPattern = `^(?:${ipv4}(?:/(?:3[0-2]|[12]?[0-9]))?|${ipv6}(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?|::[Ff]{4}:${ipv4}(?:/(?:12[0-8]|1[01][0-9]|9[6-9]))?)$`;

const address = parsedText(
  (text) =>
    text.length > maxAddressLength || text.includes('%') ? undefined : canonicalRange(text),
  (text) => `is ${JSON.stringify(shorten(text))}: it ${addressRule}`,
).meta({ override: { type: 'string', pattern: addressPattern }, example: '203.0.113.0/24' });

const excludeAddresses = z
  .array(address, { error: countRule })
  .max(maxExcludedAddresses, countRule)
  .transform((addresses) => [...new Set(addresses)])
  .meta({
    description: `Replaces the list of addresses whose visits are redirected, but not counted: at most ${maxExcludedAddresses} IPv4 or IPv6 addresses and CIDR ranges. An empty list counts all visits.`,
    example: ['203.0.113.0/24', '2001:db8:1::/48'],
  });

export const ownOrganizationUpdateRequest = z
  .strictObject({ excludeAddresses: excludeAddresses.optional() })
  .meta({ id: 'OwnOrganizationUpdateRequest' });

export const ownOrganization = z
  .object({
    id: uuidText,
    name: z.string().meta({
      description: 'The name of the organization.',
      example: 'Acme Ltd',
    }),
    plan: planName,
    excludeAddresses: z.array(z.string()).meta({
      description:
        'The addresses and CIDR ranges whose visits are redirected, but not counted, in canonical form.',
      example: ['203.0.113.0/24', '2001:db8:1::/48'],
    }),
  })
  .meta({ id: 'OwnOrganization' });

export const ownOrganizationRoutes = [
  defineRoute('getOwnOrganization', 'GET /api/v1/organization', {
    tag: 'Organization',
    summary: "Read the settings of the caller's organization",
    access: { scope: 'urls:read', or: 'analytics:read' },
    responses: { 200: { description: 'The organization', data: ownOrganization } },
  }),
  defineRoute('updateOwnOrganization', 'PATCH /api/v1/organization', {
    tag: 'Organization',
    summary: "Change the settings of the caller's organization",
    description:
      'Takes effect before the response on this node, and within a second on others. Visits that are already stored do not change.',
    access: { scope: 'urls:write' },
    body: ownOrganizationUpdateRequest,
    responses: { 200: { description: 'The changed organization', data: ownOrganization } },
  }),
] as const;
