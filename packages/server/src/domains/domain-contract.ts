import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import {
  checkedText,
  instant,
  type ListFilter,
  pageOf,
  paging,
  queryBoolean,
  uuidParam,
  uuidText,
} from '../contract/fields.js';
import { defineEvent } from '../events/define-event.js';
import { webUrl } from '../network/target-url.js';
import { findHostnameError, maxHostnameLength, toHostname } from './hostname.js';

/** Domains of one organization, pending ones included. */
export const maxDomains = 1_000;

const hostname = checkedText(findHostnameError)
  .overwrite(toHostname)
  .meta({
    override: { type: 'string', format: 'idn-hostname' },
    description: `A host name with a dot, at most ${maxHostnameLength} characters long; no address, port or wildcard. Stored in lower case and ASCII (punycode), without a final dot.`,
    example: 'go.example.com',
  });

export const domainCreateRequest = z.strictObject({ hostname }).meta({ id: 'DomainCreateRequest' });

const maxUrlLength = 2_048;
/** The limit of each document of apps, in bytes of JSON. Every list of domains contains them. */
const maxAppLinksBytes = 16_384;

/** The settings that lead visitors to another address. */
const visitorUrls = <Schema>(schemaOf: (description: string) => Schema) => ({
  rootUrl: schemaOf('Where / leads.'),
  notFoundUrl: schemaOf('Where addresses without a link lead.'),
  expiredUrl: schemaOf('Where links lead that are expired, paused or deleted.'),
});

function appLinks<Schema extends z.ZodType>(schema: Schema, description: string, example: unknown) {
  return schema
    .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= maxAppLinksBytes, {
      error: ({ input }) =>
        `must be at most ${maxAppLinksBytes} bytes of JSON, and has ${Buffer.byteLength(JSON.stringify(input))}`,
    })
    .meta({ description: `${description} At most ${maxAppLinksBytes} bytes.`, example })
    .nullish();
}

const appleAppSiteAssociation = z.record(z.string(), z.unknown());
const assetLinks = z.array(z.record(z.string(), z.unknown()));
const appleExample = {
  applinks: { details: [{ appIDs: ['ABCDE12345.com.example.app'], components: [{ '/': '/*' }] }] },
};
const androidExample = [
  {
    relation: ['delegate_permission/common.handle_all_urls'],
    target: {
      namespace: 'android_app',
      package_name: 'com.example.app',
      sha256_cert_fingerprints: [Array.from({ length: 32 }, () => 'AB').join(':')],
    },
  },
];

const flags = z.object({
  ignoreCase: z
    .boolean()
    .describe(
      'Whether links are found in any case. Refused while links differ only in the case of their keys.',
    ),
  forwardQuery: z
    .boolean()
    .describe('Whether links add the query of a visit to their target, unless they say otherwise.'),
  forwardPath: z
    .boolean()
    .describe('Whether links add the path after them to their target, unless they say otherwise.'),
});

export const domainUpdateRequest = z
  .strictObject({
    ...visitorUrls((description) =>
      webUrl(maxUrlLength)
        .meta({
          description: `${description} http or https, outside this server.`,
          example: 'https://www.example.com/',
        })
        .nullish(),
    ),
    ...flags.partial().shape,
    appleAppSiteAssociation: appLinks(
      appleAppSiteAssociation,
      'The file /.well-known/apple-app-site-association, for iOS apps.',
      appleExample,
    ),
    assetLinks: appLinks(
      assetLinks,
      'The file /.well-known/assetlinks.json, for Android apps.',
      androidExample,
    ),
  })
  .meta({
    id: 'DomainUpdateRequest',
    description: 'The settings to change; null clears an optional one.',
  });

const txtRecord = z
  .object({
    name: z.string().meta({ example: '_shorty-challenge.go.example.com' }),
    type: z.literal('TXT'),
    value: z.string().meta({ example: 'shorty-verification=3c1TzGhM0bV7wJqXkq2vYc9NfRrEoPaL' }),
  })
  .meta({
    id: 'DomainTxtRecord',
    description: 'The TXT record to set in DNS, which proves that the hostname is yours.',
  });

export const domainRecord = z
  .object({
    id: uuidText,
    hostname: z.string().meta({ example: 'go.example.com' }),
    organizationId: z.string().meta({ format: 'uuid' }),
    isActive: z.boolean().describe('Whether links are served on it.'),
    txtRecord,
    ...visitorUrls((description) =>
      z.string().nullable().describe(`${description} Null: to a page.`),
    ),
    ...flags.shape,
    appleAppSiteAssociation: appleAppSiteAssociation
      .nullable()
      .describe('The file /.well-known/apple-app-site-association.'),
    assetLinks: assetLinks.nullable().describe('The file /.well-known/assetlinks.json.'),
    createdAt: instant,
    updatedAt: instant,
    verifiedAt: instant.nullable().describe('When it was first verified.'),
    lastCheckedAt: instant.nullable().describe('When the TXT record was last looked up.'),
    lastError: z.string().nullable().describe('Why the last look-up did not verify the domain.'),
  })
  .meta({ id: 'Domain' });

const domainListQuery = z.strictObject({
  ...paging,
  isActive: queryBoolean.optional().describe('true: only active domains; false: only pending.'),
  hostname: hostname.optional().describe('Only the domain with this hostname.'),
});

const read = { tag: 'Domains', access: { scope: 'domains:read' } } as const;
const write = { tag: 'Domains', access: { scope: 'domains:write' } } as const;
const params = z.strictObject({ id: uuidParam });

export const domainRoutes = [
  defineRoute('createDomain', 'POST /api/v1/domains', {
    ...write,
    hasVersions: true,
    summary: 'Add a custom domain',
    description: `Returns the TXT record to set before the domain is verified. An organization has at most ${maxDomains} domains.`,
    body: domainCreateRequest,
    responses: { 201: { description: 'The pending domain', data: domainRecord } },
    errors: ['DOMAIN_INVALID', 'DOMAIN_CONFLICT', 'QUOTA_EXCEEDED'],
  }),
  defineRoute('listDomains', 'GET /api/v1/domains', {
    ...read,
    summary: 'List custom domains, newest first',
    query: domainListQuery,
    responses: { 200: { description: 'One page of domains', data: pageOf(domainRecord) } },
  }),
  defineRoute('getDomain', 'GET /api/v1/domains/{id}', {
    ...read,
    hasVersions: true,
    summary: 'Read a custom domain',
    params,
    responses: { 200: { description: 'The domain', data: domainRecord } },
  }),
  defineRoute('updateDomain', 'PATCH /api/v1/domains/{id}', {
    ...write,
    hasVersions: true,
    summary: 'Change the settings of a custom domain',
    description: 'Visitors see the change at once. A pending domain keeps its settings.',
    params,
    body: domainUpdateRequest,
    responses: { 200: { description: 'The changed domain', data: domainRecord } },
  }),
  defineRoute('verifyDomain', 'POST /api/v1/domains/{id}/verify', {
    ...write,
    summary: 'Look up the TXT record and activate the domain',
    description:
      'An active domain is returned without a look-up, so its TXT record may be removed. DOMAIN_INVALID: DNS does not have this record; the message quotes the records that it has. DOMAIN_CONFLICT: the hostname is active in another organization.',
    params,
    responses: { 200: { description: 'The active domain', data: domainRecord } },
    errors: ['DOMAIN_INVALID', 'DOMAIN_CONFLICT'],
  }),
  defineRoute('deleteDomain', 'DELETE /api/v1/domains/{id}', {
    ...write,
    hasVersions: true,
    summary: 'Delete a custom domain',
    description:
      'DOMAIN_CONFLICT: the domain has active links. Its paused and deleted links stay as they are, and can be resumed once the domain is added and verified again.',
    params,
    responses: { 200: { description: 'The deleted domain', data: domainRecord } },
    errors: ['DOMAIN_CONFLICT'],
  }),
  defineRoute('getTlsAllowed', 'GET /internal/tls-allowed', {
    tag: 'Operations',
    summary: 'Check whether a TLS proxy may get a certificate for a name',
    description:
      'For a proxy that gets certificates on demand. Requests that a proxy has forwarded, and requests at a custom domain, get 404.',
    access: 'public',
    audience: 'operator',
    query: z.strictObject({
      domain: z.string().meta({ description: 'The hostname.', example: 'go.example.com' }),
    }),
    responses: {
      200: {
        description: 'An active custom domain, or a name of this server',
        body: z.object({ domain: z.string() }).meta({ id: 'TlsAllowed' }),
      },
    },
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
] as const;

export type DomainUpdateRequest = z.output<typeof domainUpdateRequest>;

export type DomainFilter = ListFilter<z.output<typeof domainListQuery>>;

export const domainVerified = defineEvent({
  type: 'domain.verified',
  // Not strict, because receivers must accept fields that newer servers add.
  data: z.object(domainRecord.shape).meta({ id: 'DomainEventData' }),
  summary: 'A custom domain was verified for the first time',
});
