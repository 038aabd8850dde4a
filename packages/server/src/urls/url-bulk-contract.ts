import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import { errorDetail } from '../contract/errors.js';
import { urlIdInput } from '../contract/fields.js';
import { id, newLink, patchFields, urlListItem, writesUrls } from './url-schemas.js';

/** Items in one bulk request. Specification, "Limits". */
const maxBulkItems = 100;

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
    .describe(`1 to ${maxBulkItems} ${field}. An item that does not match ${item} fails alone.`);
}

function anyOr(schema: object) {
  return { anyOf: [schema, {}] };
}

export const urlBulkUpdateItem = z
  .strictObject({ id: urlIdInput, ...patchFields })
  .meta({ id: 'UrlBulkUpdateItem', unusedIO: 'input' });

const bulkUpdateCode = z.enum(['NOT_FOUND', 'UPDATE_FAILED']);
const bulkCreateCode = z.enum([
  'SLUG_CONFLICT',
  'QUOTA_EXCEEDED',
  'DOMAIN_INVALID',
  'CREATE_FAILED',
]);
const index = z.int().min(0).meta({ description: 'Position in the request, from 0.', example: 0 });

const externalId = z.string().nullable().meta({
  description: 'The externalId of the item; null if it has none.',
  example: 'order-1001',
});

/** The fields of an error of an item. */
const itemError = {
  index,
  externalId,
  error: z.string().describe('The same as message.'),
  message: z.string().meta({ example: 'targetUrl must start with http:// or https://' }),
  details: z.array(errorDetail).describe('Each fault of the item. A path begins in the item.'),
};

export const urlBulkCreateRequest = z
  .strictObject({ urls: bulkItems('links to create', 'UrlCreateRequest') })
  .meta({ id: 'UrlBulkCreateRequest' });

const bulkCreated = z
  .object({
    index,
    ...newLink,
    externalId,
    isExisting: z
      .literal(true)
      .optional()
      .describe('The link existed, and ifExists asked for it. Missing for a new link.'),
  })
  .meta({ id: 'UrlBulkCreated' });

export const urlBulkCreateResult = z
  .object({
    requested: z.int().min(1),
    createdCount: z.int().min(0),
    failedCount: z.int().min(0),
    created: z.array(bulkCreated),
    errors: z.array(
      z.object({ ...itemError, code: bulkCreateCode }).meta({ id: 'UrlBulkCreateError' }),
    ),
  })
  .meta({ id: 'UrlBulkCreateResult' });

export const urlBulkUpdateRequest = z
  .strictObject({ updates: bulkItems('changes', 'UrlBulkUpdateItem') })
  .meta({ id: 'UrlBulkUpdateRequest' });

const bulkUpdated = urlListItem
  .extend({
    index,
    externalId: externalId.describe('The externalId of the link; null if it has none.'),
  })
  .meta({ id: 'UrlBulkUpdated' });

export const urlBulkUpdateResult = z
  .object({
    requested: z.int().min(1),
    updatedCount: z.int().min(0),
    failedCount: z.int().min(0),
    updated: z.array(bulkUpdated),
    errors: z.array(
      z
        .object({ ...itemError, id: id.nullable(), code: bulkUpdateCode })
        .meta({ id: 'UrlBulkUpdateError' }),
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
  .describe(`At most ${maxBulkItems} ids. Elements that are no id are skipped.`);

export const urlBulkDeleteRequest = z
  .strictObject({ ids: bulkIds })
  .meta({ id: 'UrlBulkDeleteRequest' });

export const urlBulkDeleteResult = z
  .object({
    requested: z.int().min(0).describe('The number of different elements in the request.'),
    deletedCount: z.int().min(0),
    skippedCount: z.int().min(0),
    deletedIds: z.array(z.string()),
    skippedIds: z
      .array(z.string())
      .describe(
        'The ids that are unknown or of another organization, and the elements that are no id, as text of at most 100 characters.',
      ),
  })
  .meta({ id: 'UrlBulkDeleteResult' });

export const urlBulkRoutes = [
  defineRoute('bulkCreateUrls', 'POST /api/v1/urls/bulk', {
    ...writesUrls,
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
    ...writesUrls,
    summary: 'Change up to 100 short links',
    description: 'Each item succeeds or fails by itself. 207 when every item fails.',
    body: urlBulkUpdateRequest,
    responses: {
      200: { description: 'At least one link was changed', data: urlBulkUpdateResult },
      207: { description: 'Every item failed', data: urlBulkUpdateResult },
    },
  }),
  defineRoute('bulkDeleteUrls', 'DELETE /api/v1/urls/bulk', {
    ...writesUrls,
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
] as const;
