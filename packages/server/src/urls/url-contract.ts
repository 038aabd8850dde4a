import { z } from 'zod';
import type { LinkRestriction } from '../contract/caller.js';
import { defineRoute } from '../contract/define-route.js';
import {
  type ListFilter,
  line,
  pageOf,
  paging,
  plainLine,
  queryBoolean,
  timestamp,
  urlIdParam,
  uuid,
} from '../contract/fields.js';
import { targetUrl } from '../network/target-url.js';
import { externalId, tagName } from './link-fields.js';
import { urlBulkRoutes } from './url-bulk-contract.js';
import {
  createFields,
  patchFields,
  readsUrls,
  slugCheck,
  urlListItem,
  urlRecord,
  writesUrls,
} from './url-schemas.js';

const ifExists = z
  .literal('return', { error: 'must be "return", or left out to create a link in any case' })
  .nullish()
  .meta({
    description: `"return": if an active link already has this target and leads there in the same way, the response has that link, and none is created. Domain, redirectType, expiresAt, UTM parameters and all other settings of the redirect must be equal, and customSlug, importedCode and externalId if they are given. title, description, category, tags and sourceDomain are ignored. It cannot be combined with a password or maxClicks.`,
    example: 'return',
  });

const fetchTitle = z
  .boolean()
  .nullish()
  .describe(
    'Whether the server reads the title of the target in the background, for a link without a title. The link stays without one if the target cannot be read.',
  );

export const urlCreateRequest = z
  .strictObject({ ...createFields, ifExists, fetchTitle })
  .refine(
    ({ ifExists, password, maxClicks }) =>
      ifExists !== 'return' || (password == null && maxClicks == null),
    { path: ['ifExists'], message: 'cannot be combined with a password or maxClicks' },
  )
  .meta({ id: 'UrlCreateRequest' });

const { externalId: _, ...upsertFields } = createFields;

export const urlUpsertRequest = z.strictObject(upsertFields).meta({
  id: 'UrlUpsertRequest',
  description:
    'The fields of the link. For a link that exists, a missing field stays as it is, null clears an optional one, and customSlug, importedCode, importedClicks and importedCreatedAt must be left out or equal.',
});

export const urlUpdateRequest = z.strictObject(patchFields).meta({
  id: 'UrlUpdateRequest',
  description: 'The fields to change; null clears an optional one.',
});

const view = z.enum(['summary', 'full'], { error: 'must be summary or full' }).optional().meta({
  description: 'full: all fields of each link, as GET /api/v1/urls/{id} returns them.',
  default: 'summary',
});

const sort = z
  .enum(['createdAt', 'clickCount', 'lastClickAt'], {
    error: 'must be createdAt, clickCount or lastClickAt',
  })
  .default('createdAt')
  .meta({
    description:
      'The order of the links. Pages by after are complete for createdAt. Otherwise a link whose clicks change meanwhile may be repeated or missed.',
    param: { id: 'UrlSort' },
  });

const order = z
  .enum(['asc', 'desc'], { error: 'must be asc or desc' })
  .default('desc')
  .meta({ description: 'The direction of the order.', param: { id: 'UrlOrder' } });

const filter = <Schema extends z.ZodType>(schema: Schema, id: string, description: string) =>
  schema.optional().meta({ description, param: { id } });

const filters = {
  sort,
  order,
  isActive: filter(
    queryBoolean,
    'IsActive',
    'true: only active links; false: only others, such as paused and expired ones.',
  ),
  isTargetBlocked: filter(
    queryBoolean,
    'IsTargetBlocked',
    'true: only links with targetBlockedAt, whose target is harmful; false: only the others.',
  ),
  isDeleted: filter(
    queryBoolean,
    'IsDeleted',
    'true: only deleted links; false: only links that are not deleted. Default: false, and both with isActive=false.',
  ),
  search: filter(
    plainLine(200, 1),
    'UrlSearch',
    'Only links whose title, description, target, slug, code or one of whose tags contains this text, in any case.',
  ),
  tag: filter(tagName, 'UrlTag', 'Only links with exactly this tag.'),
  category: filter(plainLine(100, 1), 'UrlCategory', 'Only links of this category.'),
  domainId: filter(uuid, 'UrlDomainId', 'Only links on this custom domain.'),
  targetUrl: filter(targetUrl, 'UrlTarget', 'Only links with exactly this target.'),
  createdBy: filter(
    line(200, 1),
    'CreatedBy',
    'Only links that this person, client or API key created: its id.',
  ),
  createdSince: filter(timestamp, 'CreatedSince', 'Only links created at or after it.'),
  createdUntil: filter(timestamp, 'CreatedUntil', 'Only links created before it.'),
};

const urlListQuery = z.strictObject({ ...paging, view, ...filters });

const params = z.strictObject({ id: urlIdParam });
const externalParams = z.strictObject({
  externalId: externalId.meta({ param: { id: 'ExternalId' } }),
});
const changeErrors = [
  'SLUG_CONFLICT',
  'EXTERNAL_ID_CONFLICT',
  'QUOTA_EXCEEDED',
  'DOMAIN_INVALID',
] as const;
const createErrors = ['SLUG_RESERVED', ...changeErrors] as const;

export const urlRoutes = [
  defineRoute('createUrl', 'POST /api/v1/urls', {
    ...writesUrls,
    hasVersions: true,
    summary: 'Create a short link',
    body: urlCreateRequest,
    responses: {
      200: { description: 'The link that exists, with ifExists', data: urlRecord },
      201: { description: 'The new link', data: urlRecord },
    },
    errors: createErrors,
  }),
  // Before the routes of /api/v1/urls/{id}, which would match /api/v1/urls/bulk.
  defineRoute('listUrls', 'GET /api/v1/urls', {
    ...readsUrls,
    summary: 'List short links, by default newest first',
    query: urlListQuery,
    responses: {
      200: {
        description: 'One page of links, of UrlListItem or with view=full of UrlRecord',
        data: pageOf(z.union([urlRecord, urlListItem])).meta({ id: 'UrlPage' }),
      },
    },
  }),
  ...urlBulkRoutes,
  defineRoute('lookupUrl', 'GET /api/v1/urls/lookup', {
    ...readsUrls,
    hasVersions: true,
    summary: 'Find a short link by its short URL, slug or code',
    query: z.strictObject({
      shortUrl: line(2_048, 1).meta({
        description:
          "A short URL, with or without https://, on the platform's domain or a custom domain. Or a custom slug or short code alone; VALIDATION_FAILED names the short URLs when several domains have it.",
        example: 'https://sho.example/spring-sale',
      }),
    }),
    responses: { 200: { description: 'The link', data: urlRecord } },
    errors: ['NOT_FOUND'],
  }),
  defineRoute('checkSlug', 'GET /api/v1/urls/slug', {
    ...readsUrls,
    summary: 'Check whether a custom slug may be taken',
    description: 'Reserves nothing: another link may take the slug before the next request.',
    query: z.strictObject({
      slug: line(100, 1).meta({ description: 'The slug to check.', example: 'spring-sale' }),
      domainId: uuid
        .optional()
        .describe("An active custom domain of the organization; the platform's domain otherwise."),
    }),
    responses: { 200: { description: 'Whether the slug is available', data: slugCheck } },
    errors: ['DOMAIN_INVALID'],
  }),
  // Before the routes of /api/v1/urls/{id}, because an external id may be `clicks`.
  defineRoute('getUrlByExternalId', 'GET /api/v1/urls/by-external-id/{externalId}', {
    ...readsUrls,
    hasVersions: true,
    summary: 'Read the short link that has an external id',
    params: externalParams,
    responses: { 200: { description: 'The link', data: urlRecord } },
  }),
  defineRoute('upsertUrl', 'PUT /api/v1/urls/by-external-id/{externalId}', {
    ...writesUrls,
    hasVersions: true,
    summary: 'Create a short link with an external id, or change the link that has it',
    description:
      'The same request can be repeated at any time: it creates one link, and then changes nothing. A paused or deleted link stays so unless isActive is true.',
    params: externalParams,
    body: urlUpsertRequest,
    responses: {
      200: { description: 'The link that exists, after the change', data: urlRecord },
      201: { description: 'The new link', data: urlRecord },
    },
    errors: createErrors,
  }),
  defineRoute('getUrl', 'GET /api/v1/urls/{id}', {
    ...readsUrls,
    hasVersions: true,
    summary: 'Read a short link',
    params,
    responses: { 200: { description: 'The link', data: urlRecord } },
  }),
  defineRoute('updateUrl', 'PATCH /api/v1/urls/{id}', {
    ...writesUrls,
    hasVersions: true,
    summary: 'Change, pause or resume a short link',
    params,
    body: urlUpdateRequest,
    responses: { 200: { description: 'The changed link', data: urlRecord } },
    errors: changeErrors,
  }),
  defineRoute('deleteUrl', 'DELETE /api/v1/urls/{id}', {
    ...writesUrls,
    access: { scope: 'urls:write', or: 'urls:erase' },
    hasVersions: true,
    summary: 'Delete a short link',
    description:
      'The link answers 410 from now on. Its record stays readable, with the time of the deletion, and can be restored. Needs the scope urls:write.',
    params,
    query: z.strictObject({
      erase: queryBoolean.default(false).meta({
        description:
          'Erase the link with its visits and QR codes. Needs the scope urls:erase instead of urls:write. Nothing can restore the link. Its slug and short code stay taken, as hashes, and answer 404. The usage of the organization does not change. Stored results of requests expire within 24 hours, events within 30 days. Not erased: backups. The response has the empty record and is sent after the last row is deleted. A 503 means that it takes longer and continues: the same request with the same Idempotency-Key waits for it.',
        example: false,
      }),
    }),
    responses: { 200: { description: 'The deleted link', data: urlRecord } },
  }),
  defineRoute('restoreUrl', 'POST /api/v1/urls/{id}/restore', {
    ...writesUrls,
    hasVersions: true,
    summary: 'Restore a deleted short link',
    description: 'The same as a PATCH that sets isActive to true.',
    params,
    responses: { 200: { description: 'The active link', data: urlRecord } },
    errors: ['QUOTA_EXCEEDED', 'DOMAIN_INVALID'],
  }),
] as const;

export type UrlCreateRequest = z.output<typeof urlCreateRequest>;
export type UrlUpsertRequest = z.output<typeof urlUpsertRequest>;
export type UrlUpdateRequest = z.output<typeof urlUpdateRequest>;
export type UrlPageQuery = Omit<z.output<typeof urlListQuery>, 'view'>;
export type UrlSort = UrlPageQuery['sort'];
export type UrlFilter = Omit<ListFilter<UrlPageQuery>, 'sort' | 'order'> & {
  readonly sort?: UrlSort | undefined;
  readonly order?: UrlPageQuery['order'] | undefined;
  readonly restriction?: LinkRestriction | undefined;
};
