import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import type { ErrorDetail } from '../contract/errors.js';
import {
  characters,
  displayText,
  instant,
  type ListFilter,
  line,
  pageOf,
  paging,
  queryBoolean,
  queryInteger,
  timestamp,
  urlIdInput,
  urlIdParam,
  uuid,
} from '../contract/fields.js';
import { maxTargetUrlBytes } from '../network/target-url.js';
import { linkRules, ruleRecords } from './link-rules.js';
import { fetchedPreviewRecord, previewSetting, previewSettingRecord } from './preview-contract.js';
import { targetUrl } from './target-url-field.js';

/** Items in one bulk request. Specification, "Limits". */
export const maxBulkItems = 100;

const maxImportedClicks = 1_000_000_000_000;

const expiredUrl = targetUrl.nullish().meta({
  description: `Where visitors are sent (302) when the link has expired or its maxClicks are used up, instead of a page that says so: http or https, at most ${maxTargetUrlBytes} bytes. It must not lead back to the link. Such visits are not counted. A link that is paused, deleted or taken down does not lead there.`,
  example: 'https://example.com/sale-is-over',
});

const maxClicks = z.int().min(1).max(maxImportedClicks).nullish().meta({
  description:
    'How many clicks the link redirects in all. Then visitors get 410, or are sent to expiredUrl. Clicks before the limit was set count, those of another link shortener do not. Link previews, bots and HEAD requests are redirected without using a click.',
  example: 100,
});

/** What is wrong with an `activatesAt` that is not before `expiresAt`. */
export const activationRule = 'must be before expiresAt';

const customSlug = z
  .string()
  .min(3, 'must be 3 to 50 characters long')
  .max(50, 'must be 3 to 50 characters long')
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/,
    'must consist of letters, digits and hyphens (A-Z a-z 0-9 -), without a hyphen at either end',
  )
  .meta({
    description: 'Case-sensitive. It cannot be changed, and no other link can ever use it.',
    example: 'spring-sale',
  });

const redirectType = z
  .literal([301, 302, 307, 308], { error: 'must be 301, 302, 307 or 308' })
  .meta({ description: 'The HTTP status of the redirect.', example: 307 });

const maxUtmLength = 512;
const utmValue = line(maxUtmLength, 1);

const maxCustomUtmParams = 50;

const utmName = characters(maxUtmLength, 1).refine(
  (name) => name.isWellFormed(),
  'must be well-formed Unicode (it contains an unpaired surrogate)',
);

// Zod ignores the key `__proto__` without an error.
const refuseProto: Parameters<typeof z.preprocess>[0] = (input, context) => {
  if (typeof input === 'object' && input !== null && Object.hasOwn(input, '__proto__')) {
    context.addIssue({ code: 'custom', path: ['__proto__'], message: 'is not a parameter name' });
  }
  return input;
};

const customUtmParams = z.preprocess(
  refuseProto,
  z
    .record(utmName, line(maxUtmLength))
    .refine(
      (params) => Object.keys(params).length <= maxCustomUtmParams,
      `must have at most ${maxCustomUtmParams} pairs`,
    )
    .meta({
      description:
        'Further parameters to set on the target, by name. A name may have any characters. A field such as utmSource wins over the same parameter here.',
      maxProperties: maxCustomUtmParams,
      example: { utm_id: 'abc.123' },
    }),
);

const maxThresholds = 20;

const clickThresholds = z
  .array(z.int().min(1))
  .min(1, 'must have at least one threshold')
  .max(maxThresholds, `must have at most ${maxThresholds} thresholds`)
  .overwrite((thresholds) => [...new Set(thresholds)].sort((a, b) => a - b))
  .meta({
    description: `The click counts at which url.click_threshold is sent, instead of the server's: at most ${maxThresholds}, stored in ascending order without repetitions. Counts that the link has already reached send nothing.`,
    example: [50, 500],
  });

export const tagName = line(100, 1);

export const externalId = line(255, 1).meta({
  description:
    'The id of the link in another system. It is unique in the organization, deleted links included.',
  example: 'order-1001',
});

// The fields of both create and PATCH. At create, null has the same meaning as a missing field; at
// PATCH, it clears the field.
const settings = {
  externalId: externalId.nullish(),
  title: displayText(500).nullish().meta({ example: 'Spring sale' }),
  description: displayText(5000).nullish(),
  category: displayText(100).nullish().meta({ example: 'campaigns' }),
  tags: z
    .array(tagName)
    .max(20, 'must have at most 20 tags')
    .nullish()
    .meta({ example: ['launch', 'mail'] }),
  domainId: uuid.nullish().meta({
    description: "An active custom domain of the organization; the platform's domain otherwise.",
  }),
  redirectType: redirectType.nullish(),
  activatesAt: timestamp.nullish().meta({
    description:
      'When the link starts redirecting: before expiresAt. Until then, visitors get 404, as for a link that does not exist.',
  }),
  expiresAt: timestamp.nullish().meta({
    description: 'When the link stops redirecting. Must lie in the future.',
  }),
  expiredUrl,
  maxClicks,
  isPasswordProtected: z.boolean().nullish(),
  password: characters(256, 1).nullish().meta({
    format: 'password',
    description: 'Needed when isPasswordProtected is true. Stored only as a hash, never returned.',
    example: 'open sesame',
  }),
  utmSource: utmValue.nullish().meta({ example: 'newsletter' }),
  utmMedium: utmValue.nullish().meta({ example: 'email' }),
  utmCampaign: utmValue.nullish(),
  utmTerm: utmValue.nullish(),
  utmContent: utmValue.nullish(),
  customUtmParams: customUtmParams.nullish(),
  sourceDomain: line(253).nullish().meta({
    description: 'A hint for attribution.',
    example: 'blog.example.com',
  }),
  clickThresholds: clickThresholds.nullish(),
  forwardQuery: z.boolean().nullish(),
  forwardPath: z.boolean().nullish(),
  rules: linkRules.nullish(),
  preview: previewSetting.nullish(),
};

/** Returns the error of a link that has protection without a password, or the reverse. */
export function findPasswordError(
  isProtected: boolean,
  isGiven: boolean,
  hadPassword: boolean,
): ErrorDetail | undefined {
  if (isProtected && !isGiven && !hadPassword) {
    return { path: 'password', message: 'is needed when isPasswordProtected is true' };
  }
  if (isProtected || !isGiven) return undefined;
  return { path: 'isPasswordProtected', message: 'must be true when a password is given' };
}

const createFields = {
  targetUrl,
  customSlug: customSlug.nullish(),
  ...settings,
  isActive: z.boolean().nullish().meta({
    description:
      'False creates a paused link, which answers with 410 until a PATCH sets isActive to true. True by default.',
  }),
  importedClicks: z.int().min(0).max(maxImportedClicks).nullish().meta({
    description:
      'The clicks that another link shortener counted before. Reports show them separately. 0 by default.',
    example: 1204,
  }),
};

/** Bounds the time of a look-up for `ifExists`: SQLite compares 10,000 rows in about 20 ms. */
export const maxComparedLinks = 10_000;

const ifExists = z
  .literal('return', { error: 'must be "return", or left out to create a link in any case' })
  .nullish()
  .meta({
    description: `"return": if an active link already has this target and leads there in the same way, the response has that link, and none is created. Domain, redirectType, expiresAt, UTM parameters and all other settings of the redirect must be equal, and customSlug and externalId if they are given. title, description, category, tags, sourceDomain and clickThresholds are ignored. The first ${maxComparedLinks} links with the target are compared. It cannot be combined with a password or maxClicks.`,
    example: 'return',
  });

function checkActivation(
  {
    activatesAt,
    expiresAt,
  }: z.output<z.ZodObject<Pick<typeof settings, 'activatesAt' | 'expiresAt'>>>,
  context: z.RefinementCtx,
): void {
  if (activatesAt == null || expiresAt == null) return;
  if (Date.parse(activatesAt) < Date.parse(expiresAt)) return;
  context.addIssue({ code: 'custom', path: ['activatesAt'], message: activationRule });
}

export const urlCreateRequest = z
  .strictObject({ ...createFields, ifExists })
  .superRefine(checkActivation)
  .superRefine(({ isPasswordProtected, password, maxClicks, ifExists }, context) => {
    const isPrivate = password != null || maxClicks != null;
    const error =
      ifExists === 'return' && isPrivate
        ? { path: 'ifExists', message: 'cannot be combined with a password or maxClicks' }
        : findPasswordError(isPasswordProtected === true, password != null, false);
    if (error) context.addIssue({ code: 'custom', path: [error.path], message: error.message });
  })
  .meta({ id: 'UrlCreateRequest' });

const { externalId: _, ...upsertFields } = createFields;

export const urlUpsertRequest = z.strictObject(upsertFields).superRefine(checkActivation).meta({
  id: 'UrlUpsertRequest',
  description:
    'The fields of the link. For a link that exists, a missing field stays as it is, null clears an optional one, and customSlug and importedClicks must be left out or equal.',
});

const patchFields = {
  targetUrl: targetUrl.optional(),
  ...settings,
  isActive: z.boolean().optional(),
};

export const urlUpdateRequest = z.strictObject(patchFields).meta({
  id: 'UrlUpdateRequest',
  description: 'The fields to change; null clears an optional one.',
});

export const urlBulkUpdateItem = z
  .strictObject({ id: urlIdInput, ...patchFields })
  .meta({ id: 'UrlBulkUpdateItem', unusedIO: 'input' });

const id = z.string().meta({ description: 'A decimal integer as a string.', example: '42' });
const shortCode = z.string().meta({ example: 'aB3xY9q' });
const shortUrl = z.string().meta({
  description: 'The public link: the custom slug when there is one, otherwise the short code.',
  example: 'https://sho.example/spring-sale',
});
const targetUrlOut = z.string().meta({ example: 'https://example.com/spring?ref=mail#offers' });
const customSlugOut = z.string().nullable().meta({ example: 'spring-sale' });
const organizationId = z.string().meta({ format: 'uuid' });

const newLink = { id, shortCode, targetUrl: targetUrlOut, customSlug: customSlugOut, shortUrl };

export const urlCreated = z
  .object({ ...newLink, organizationId, createdAt: instant })
  .meta({ id: 'UrlCreated' });

export const urlListItem = z
  .object({
    id,
    shortCode,
    customSlug: customSlugOut,
    shortUrl,
    targetUrl: targetUrlOut,
    isActive: z.boolean(),
  })
  .meta({ id: 'UrlListItem' });

const text = z.string().nullable();

export const urlRecord = z
  .object({
    ...newLink,
    organizationId,
    externalId: text,
    title: text,
    description: text,
    category: text,
    tags: z.array(z.string()),
    domainId: z.string().nullable().meta({ format: 'uuid' }),
    redirectType,
    activatesAt: instant.nullable(),
    expiresAt: instant.nullable(),
    expiredUrl: text,
    maxClicks: z.int().min(1).nullable().meta({ example: 100 }),
    isPasswordProtected: z.boolean(),
    utmSource: text,
    utmMedium: text,
    utmCampaign: text,
    utmTerm: text,
    utmContent: text,
    customUtmParams: z.record(z.string(), z.string()),
    sourceDomain: text,
    clickThresholds: z
      .array(z.int().min(1))
      .nullable()
      .meta({ example: [50, 500] }),
    forwardQuery: z.boolean().nullable(),
    forwardPath: z.boolean().nullable(),
    rules: ruleRecords,
    preview: previewSettingRecord,
    fetchedPreview: fetchedPreviewRecord,
    isActive: z.boolean(),
    deletedAt: instant.nullable(),
    clickCount: z.int().min(0).meta({ description: 'Clicks counted so far.' }),
    importedClicks: z.int().min(0),
    clicksLeft: z.int().min(0).nullable().meta({ example: 58 }),
    lastClickAt: instant.nullable().meta({
      description:
        'The time of the last counted click. Null before the first click, and if only version 0.1 counted clicks.',
    }),
    takenDown: z
      .object({
        at: instant.meta({ description: 'When the operator took the link down, in UTC.' }),
        reason: z.string().meta({ description: 'Why.', example: 'phishing' }),
      })
      .nullable()
      .meta({
        description:
          'Set while the operator of the server has taken the link down: visitors get 451. The owner cannot undo it.',
        example: null,
      }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'UrlRecord' });

// The handler validates each item separately, because an invalid item must not fail the request. This
// schema only counts the items. In OpenAPI, an item is of the schema, or anything else, so that a client
// that validates its requests can send a list with an invalid item.
function bulkItems(field: string, item: string) {
  const rule = `must be a list of 1 to ${maxBulkItems} items`;
  return z
    .array(z.unknown().meta({ override: anyOr({ $ref: `#/components/schemas/${item}` }) }), {
      error: rule,
    })
    .min(1, rule)
    .max(maxBulkItems, rule)
    .meta({
      description: `1 to ${maxBulkItems} ${field}. An item that does not match ${item} fails alone.`,
    });
}

function anyOr(schema: object) {
  return { anyOf: [schema, {}] };
}

const bulkUpdateCode = z.enum(['NOT_FOUND', 'UPDATE_FAILED']);
const bulkCreateCode = z.enum([
  'SLUG_CONFLICT',
  'QUOTA_EXCEEDED',
  'DOMAIN_INVALID',
  'CREATE_FAILED',
]);
const index = z.int().min(0).meta({ description: 'Position in the request, from 0.', example: 0 });

export const urlBulkCreateRequest = z
  .strictObject({ urls: bulkItems('links to create', 'UrlCreateRequest') })
  .meta({ id: 'UrlBulkCreateRequest' });

export const urlBulkCreateResult = z
  .object({
    requested: z.int().min(1),
    createdCount: z.int().min(0),
    failedCount: z.int().min(0),
    created: z.array(
      z.object({
        index,
        ...newLink,
        isExisting: z.literal(true).optional().meta({
          description: 'The link existed, and ifExists asked for it. Missing for a new link.',
        }),
      }),
    ),
    errors: z.array(z.object({ index, error: z.string(), code: bulkCreateCode })),
  })
  .meta({ id: 'UrlBulkCreateResult' });

export const urlBulkUpdateRequest = z
  .strictObject({ updates: bulkItems('changes', 'UrlBulkUpdateItem') })
  .meta({ id: 'UrlBulkUpdateRequest' });

export const urlBulkUpdateResult = z
  .object({
    requested: z.int().min(1),
    updatedCount: z.int().min(0),
    failedCount: z.int().min(0),
    updated: z.array(urlListItem.extend({ index })),
    errors: z.array(
      z.object({ index, id: id.nullable(), error: z.string(), code: bulkUpdateCode }),
    ),
  })
  .meta({ id: 'UrlBulkUpdateResult' });

const bulkIdsRule = `must be a list of at most ${maxBulkItems} ids`;

/** The ids of a bulk delete. An element that is no id is skipped, like an unknown id. */
const bulkIds = z
  .array(
    z.unknown().meta({
      override: anyOr({ oneOf: [{ type: 'integer' }, { type: 'string' }] }),
      // The tests of the contract fill in ids by this example.
      example: 42,
    }),
    { error: bulkIdsRule },
  )
  .max(maxBulkItems, bulkIdsRule)
  .meta({ description: `At most ${maxBulkItems} ids. Elements that are no id are skipped.` });

export const urlBulkDeleteRequest = z
  .strictObject({ ids: bulkIds })
  .meta({ id: 'UrlBulkDeleteRequest' });

export const urlBulkDeleteResult = z
  .object({
    requested: z
      .int()
      .min(0)
      .meta({ description: 'The number of different elements in the request.' }),
    deletedCount: z.int().min(0),
    skippedCount: z.int().min(0),
    deletedIds: z.array(z.string()),
    skippedIds: z.array(z.string()).meta({
      description:
        'The ids that are unknown or of another organization, and the elements that are no id, as text of at most 100 characters.',
    }),
  })
  .meta({ id: 'UrlBulkDeleteResult' });

const view = z.enum(['summary', 'full'], { error: 'must be summary or full' }).optional().meta({
  description: 'full: all fields of each link, as GET /api/v1/urls/{id} returns them.',
  default: 'summary',
});

const sort = z
  .enum(['createdAt', 'clickCount', 'lastClickAt', 'title'], {
    error: 'must be createdAt, clickCount, lastClickAt or title',
  })
  .default('createdAt')
  .meta({
    description:
      'The order of the links. Titles are compared without regard to case, by their first 100 characters; links without a title are before all others. Pages by after are complete for createdAt, and for titles that do not change meanwhile. A link whose clicks change meanwhile may be repeated or missed.',
    param: { id: 'UrlSort' },
  });

const order = z
  .enum(['asc', 'desc'], { error: 'must be asc or desc' })
  .optional()
  .meta({
    description: 'The direction of the order. Default: asc for title, otherwise desc.',
    param: { id: 'UrlOrder' },
  });

const filters = {
  sort,
  order,
  isActive: queryBoolean.optional().meta({
    description: 'true: only active links; false: only inactive links.',
    param: { id: 'IsActive' },
  }),
  isDeleted: queryBoolean.optional().meta({
    description: 'true: only deleted links; false: only links that are not deleted.',
    param: { id: 'IsDeleted' },
  }),
  search: line(200, 1)
    .optional()
    .meta({
      description:
        'Only links whose title, description, target, slug, code or one of whose tags contains this text, in any case.',
      param: { id: 'UrlSearch' },
    }),
  tag: tagName
    .optional()
    .meta({ description: 'Only links with exactly this tag.', param: { id: 'UrlTag' } }),
  category: line(100, 1)
    .optional()
    .meta({ description: 'Only links of this category.', param: { id: 'UrlCategory' } }),
  domainId: uuid
    .optional()
    .meta({ description: 'Only links on this custom domain.', param: { id: 'UrlDomainId' } }),
  targetUrl: targetUrl
    .optional()
    .meta({ description: 'Only links with exactly this target.', param: { id: 'UrlTarget' } }),
  createdSince: timestamp
    .optional()
    .meta({ description: 'Only links created at or after it.', param: { id: 'CreatedSince' } }),
  createdUntil: timestamp
    .optional()
    .meta({ description: 'Only links created before it.', param: { id: 'CreatedUntil' } }),
};

const urlListQuery = z.strictObject({ ...paging, view, ...filters });

const maxExportedUrls = 2_000;

const urlExportQuery = z.strictObject({
  limit: queryInteger({ min: 1, max: maxExportedUrls, default: maxExportedUrls }).meta({
    description: 'The most links to return. A page whose text is long has fewer, but at least 100.',
  }),
  after: paging.after,
  format: z
    .enum(['csv', 'ndjson'], { error: 'must be csv or ndjson' })
    .default('csv')
    .meta({ description: 'The format of the file.' }),
  ...filters,
});

const urlExport = pageOf(urlRecord)
  .omit({ items: true })
  .extend({
    count: z.int().min(0).meta({ description: 'The number of links on this page.' }),
    text: z.string().meta({
      description:
        'One line for each link. The texts of all pages make one file. ndjson: the UrlRecord of each link. csv (RFC 4180, with line feeds): the first page starts with the names of the columns, which are the fields of UrlRecord; POST /api/v1/urls takes those up to importedClicks. Tags are separated by |. An apostrophe precedes a text that a spreadsheet would evaluate as a formula.',
      example: 'targetUrl,customSlug,title\nhttps://example.com/,spring-sale,Spring\n',
    }),
  })
  .meta({ id: 'UrlExport' });

const read = { tag: 'URLs', access: { scope: 'urls:read' } } as const;
const write = { tag: 'URLs', access: { scope: 'urls:write' } } as const;
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
    ...write,
    hasVersions: true,
    summary: 'Create a short link',
    body: urlCreateRequest,
    responses: {
      200: { description: 'The link that exists, with ifExists', data: urlCreated },
      201: { description: 'The new link', data: urlCreated },
    },
    errors: createErrors,
  }),
  defineRoute('listUrls', 'GET /api/v1/urls', {
    ...read,
    summary: 'List short links, by default newest first',
    query: urlListQuery,
    responses: {
      200: {
        description: 'One page of links, of UrlListItem or with view=full of UrlRecord',
        data: pageOf(z.union([urlRecord, urlListItem])),
      },
    },
  }),
  defineRoute('exportUrls', 'GET /api/v1/urls/export', {
    ...read,
    summary: 'Export short links as CSV or NDJSON',
    description: `Pages of up to ${maxExportedUrls} links. Send nextAfter as after until it is null. A request that failed can be repeated.`,
    query: urlExportQuery,
    responses: { 200: { description: 'One page of the file', data: urlExport } },
  }),
  defineRoute('bulkCreateUrls', 'POST /api/v1/urls/bulk', {
    ...write,
    summary: 'Create up to 100 short links',
    description:
      'Each item succeeds or fails by itself; nothing is rolled back. 207 when every item fails.',
    body: urlBulkCreateRequest,
    responses: {
      201: { description: 'At least one link was created', data: urlBulkCreateResult },
      207: { description: 'Every item failed', data: urlBulkCreateResult },
    },
  }),
  defineRoute('bulkUpdateUrls', 'PATCH /api/v1/urls/bulk', {
    ...write,
    summary: 'Change up to 100 short links',
    description: 'Each item succeeds or fails by itself. 207 when every item fails.',
    body: urlBulkUpdateRequest,
    responses: {
      200: { description: 'At least one link was changed', data: urlBulkUpdateResult },
      207: { description: 'Every item failed', data: urlBulkUpdateResult },
    },
  }),
  defineRoute('bulkDeleteUrls', 'DELETE /api/v1/urls/bulk', {
    ...write,
    summary: 'Delete up to 100 short links',
    description:
      'Send the ids in the query or in the body, not in both. Ids that do not exist, and elements that are no id, are skipped.',
    query: z.strictObject({
      ids: z
        .string()
        .transform((value): unknown[] => value.split(',', maxBulkItems + 1))
        .pipe(bulkIds)
        .optional()
        .meta({
          override: { type: 'string' },
          description: `Up to ${maxBulkItems} ids, separated by commas.`,
          example: '41,42',
        }),
    }),
    body: urlBulkDeleteRequest,
    bodyOptional: true,
    responses: { 200: { description: 'The deleted links', data: urlBulkDeleteResult } },
  }),
  defineRoute('lookupUrl', 'GET /api/v1/urls/lookup', {
    ...read,
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
  // Before the routes of /api/v1/urls/{id}, because an external id may be `clicks`.
  defineRoute('getUrlByExternalId', 'GET /api/v1/urls/by-external-id/{externalId}', {
    ...read,
    hasVersions: true,
    summary: 'Read the short link that has an external id',
    params: externalParams,
    responses: { 200: { description: 'The link', data: urlRecord } },
  }),
  defineRoute('upsertUrl', 'PUT /api/v1/urls/by-external-id/{externalId}', {
    ...write,
    hasVersions: true,
    summary: 'Create a short link with an external id, or change the link that has it',
    description:
      'The same request can be repeated at any time: it creates one link, and then changes nothing. An inactive link stays inactive unless isActive is true.',
    params: externalParams,
    body: urlUpsertRequest,
    responses: {
      200: { description: 'The link that exists, after the change', data: urlRecord },
      201: { description: 'The new link', data: urlRecord },
    },
    errors: createErrors,
  }),
  defineRoute('getUrl', 'GET /api/v1/urls/{id}', {
    ...read,
    hasVersions: true,
    summary: 'Read a short link',
    params,
    responses: { 200: { description: 'The link', data: urlRecord } },
  }),
  defineRoute('updateUrl', 'PATCH /api/v1/urls/{id}', {
    ...write,
    hasVersions: true,
    summary: 'Change, pause or resume a short link',
    params,
    body: urlUpdateRequest,
    responses: { 200: { description: 'The changed link', data: urlRecord } },
    errors: changeErrors,
  }),
  defineRoute('deleteUrl', 'DELETE /api/v1/urls/{id}', {
    ...write,
    access: { scope: 'urls:write', or: 'urls:erase' },
    hasVersions: true,
    summary: 'Delete a short link',
    description:
      'The link answers 410 from now on. Its record stays readable, with the time of the deletion, and can be restored. Needs the scope urls:write. With erase=true, the link is erased with its visits, QR codes and events, and nothing can restore it. Only its slug and short code stay taken, as hashes, and answer 410. The usage of the organization does not change. Not erased: backups. The response has the empty record and is sent after the last row is deleted. A 503 means that it takes longer and continues: the same request with the same Idempotency-Key waits for it. An erasure needs the scope urls:erase instead of urls:write.',
    params,
    query: z.strictObject({
      erase: queryBoolean.default(false).meta({
        description: 'Erase the link with its visits. Needs the scope urls:erase.',
        example: false,
      }),
    }),
    responses: { 200: { description: 'The deleted link', data: urlRecord } },
  }),
  defineRoute('restoreUrl', 'POST /api/v1/urls/{id}/restore', {
    ...write,
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
export type UrlExportFormat = z.output<typeof urlExportQuery>['format'];
export type UrlPageQuery = Omit<z.output<typeof urlListQuery>, 'view'>;
export type UrlSort = UrlPageQuery['sort'];
export type UrlFilter = Omit<ListFilter<UrlPageQuery>, 'sort'> & {
  readonly sort?: UrlSort | undefined;
};
