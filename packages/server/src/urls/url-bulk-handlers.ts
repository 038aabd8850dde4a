import type { z } from 'zod';
import { invalidField, shorten, validationError } from '../contract/api-error.js';
import { parseUrlId } from '../contract/fields.js';
import { parseInput } from '../contract/parse-input.js';
import type { HandlersOf } from '../http/handlers.js';
import type { StoredError } from '../idempotency/with-idempotency-key.js';
import type { LinkOrigins } from '../network/link-origins.js';
import { mapInSlices } from '../yield-to-event-loop.js';

import { toListItem, toNewLink } from './present-url.js';
import type { ShortUrl } from './short-url.js';
import {
  type urlBulkCreateResult,
  type urlBulkRoutes,
  urlBulkUpdateItem,
  type urlBulkUpdateResult,
} from './url-bulk-contract.js';
import { type UrlCreateRequest, urlCreateRequest } from './url-contract.js';
import type { CheckedItem, UrlWriter } from './url-writer.js';

export interface UrlBulkHandlerOptions {
  readonly writer: UrlWriter;
  readonly origins: () => LinkOrigins;
}

/** Creates, changes and deletes up to 100 links. An invalid item does not affect the others. */
export function urlBulkHandlers({
  writer,
  origins,
}: UrlBulkHandlerOptions): HandlersOf<typeof urlBulkRoutes> {
  return {
    async bulkCreateUrls({ body: { urls: items }, context }) {
      const checked = await mapInSlices(items, (item) => checkItem(urlCreateRequest, item));
      // The items have the targets, so the stored result needs none.
      const present = (url: ShortUrl) => {
        const { targetUrl: _, ...link } = toNewLink(origins(), url);
        return link;
      };
      const { result, replayed } = await writer.create(checked, present, context);
      const created: z.input<typeof urlBulkCreateResult>['created'] = [];
      const errors: z.input<typeof urlBulkCreateResult>['errors'] = [];
      for (const [index, outcome] of result.entries()) {
        if (outcome.status === 'refused') {
          const code = createCodes.find((each) => each === outcome.error.code) ?? 'CREATE_FAILED';
          errors.push({ ...failedItem(index, items[index], outcome.error), code });
          continue;
        }
        const externalId = idOf(items[index], 'externalId');
        const isExisting = outcome.status === 'existing' && { isExisting: true as const };
        const { targetUrl } = items[index] as UrlCreateRequest;
        const { id, shortCode, customSlug, shortUrl } = outcome.presented;
        const link = { index, id, shortCode, targetUrl, customSlug, shortUrl, externalId };
        created.push({ ...link, ...isExisting });
      }
      return {
        status: created.length > 0 ? 201 : 207,
        replayed,
        data: {
          requested: items.length,
          createdCount: created.length,
          failedCount: errors.length,
          created,
          errors,
        },
      };
    },

    async bulkUpdateUrls({ body: { updates: items }, context }) {
      const checked = await mapInSlices(items, (item) => checkItem(urlBulkUpdateItem, item));
      const present = (url: ShortUrl) => ({
        ...toListItem(origins(), url, context.now),
        externalId: url.externalId,
      });
      const { result, replayed } = await writer.update(checked, present, context);
      const updated: z.input<typeof urlBulkUpdateResult>['updated'] = [];
      const errors: z.input<typeof urlBulkUpdateResult>['errors'] = [];
      for (const [index, outcome] of result.entries()) {
        if (outcome.status !== 'refused') {
          updated.push({ index, ...outcome.presented });
          continue;
        }
        const code = outcome.error.code === 'NOT_FOUND' ? 'NOT_FOUND' : 'UPDATE_FAILED';
        const failed = failedItem(index, items[index], outcome.error);
        errors.push({ ...failed, id: idOf(items[index], 'id'), code });
      }
      return {
        status: updated.length > 0 ? 200 : 207,
        replayed,
        data: {
          requested: items.length,
          updatedCount: updated.length,
          failedCount: errors.length,
          updated,
          errors,
        },
      };
    },

    async bulkDeleteUrls({ query, body, context }) {
      if (query.ids && body) {
        throw invalidField('ids', 'must come in the query or in the body, not in both');
      }
      const given = query.ids ?? body?.ids;
      if (!given) throw invalidField('ids', 'is required, in the query or in the body');
      const elements = [...new Set(given.map(idText))];
      const ids = elements.map(parseUrlId).filter((id) => id !== undefined);
      const { result, replayed } = await writer.delete(
        ids,
        (found) => found.map(({ id }) => id),
        context,
      );
      const deleted = new Set(result.map(String));
      const deletedIds = elements.filter((element) => deleted.has(element));
      const skippedIds = elements.filter((element) => !deleted.has(element));
      return {
        status: 200,
        replayed,
        data: {
          requested: elements.length,
          deletedCount: deletedIds.length,
          skippedCount: skippedIds.length,
          deletedIds,
          skippedIds,
        },
      };
    },
  };
}

// The specification names the codes of items.
const createCodes = ['SLUG_CONFLICT', 'QUOTA_EXCEEDED', 'DOMAIN_INVALID'] as const;

function checkItem<Schema extends z.ZodType>(
  schema: Schema,
  item: unknown,
): CheckedItem<z.output<Schema>> {
  const parsed = parseInput(schema, item);
  if (parsed.ok) return { body: parsed.value };
  return { error: validationError(parsed.details, parsed.count, 'The item') };
}

/** Returns the fields that the errors of all items have. */
function failedItem(index: number, item: unknown, { message, details }: StoredError) {
  const externalId = idOf(item, 'externalId');
  return { index, message, error: message, externalId, details: [...details] };
}

// An invalid id may be any text. A longer one than an external id may be is not repeated in the response.
const maxReturnedIdLength = 255;

/** Returns an id of an item; null when it has none, or one that is too long. */
function idOf(item: unknown, name: 'id' | 'externalId'): string | null {
  const value: unknown = Object(item)[name];
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.length <= maxReturnedIdLength ? text : null;
}

/** Returns an element of a bulk delete as text. Only an id that is correct is the text of an id. */
function idText(element: unknown): string {
  const isPlain = typeof element === 'string' || typeof element === 'number';
  return shorten(isPlain ? String(element) : JSON.stringify(element));
}
