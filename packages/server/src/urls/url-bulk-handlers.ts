import type { z } from 'zod';
import { shorten, validationError } from '../contract/api-error.js';
import type { LinkOwner } from '../contract/caller.js';
import { parseUrlId } from '../contract/fields.js';
import { parseInput } from '../contract/parse-input.js';
import type { HandlersOf } from '../http/handlers.js';
import { contextOf } from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import { mapInSlices } from '../yield-to-event-loop.js';
import type { LinkOrigins } from './link-origins.js';
import { toListItem, toNewLink } from './present-url.js';
import {
  type urlBulkCreateResult,
  type urlBulkRoutes,
  urlBulkUpdateItem,
  type urlBulkUpdateResult,
} from './url-bulk-contract.js';
import { type UrlCreateRequest, urlCreateRequest } from './url-contract.js';
import {
  bulkCreateError,
  bulkUpdateError,
  type ItemError,
  invalidItem,
  slugReservedError,
} from './url-refusals.js';
import { type CheckedItem, type UrlService, validOf, withOwnDomain } from './url-service.js';
import type { Creation, UpdateOutcome } from './url-write.js';

export interface UrlBulkHandlerOptions {
  readonly origins: () => LinkOrigins;
  readonly clock: Clock;
}

type UpdatedItem = Omit<z.input<typeof urlBulkUpdateResult>['updated'][number], 'index'>;

/** Creates, changes and deletes up to 100 links. An invalid item does not affect the others. */
export function urlBulkHandlers(
  service: UrlService,
  { origins, clock }: UrlBulkHandlerOptions,
): HandlersOf<typeof urlBulkRoutes> {
  async function checkNewItems(
    owner: LinkOwner,
    items: readonly unknown[],
    now: number,
  ): Promise<CheckedItem<UrlCreateRequest>[]> {
    const checked = await mapInSlices(items, (item) => checkItem(urlCreateRequest, item));
    const stateErrors = await service.findStateErrors(validOf(checked), now);
    return checked.map((item) => {
      if ('error' in item) return item;
      const error = stateErrors.shift();
      if (error) return { error: invalidItem([error]) };
      const reserved = service.findReserved(item.body);
      if (!reserved) return { body: withOwnDomain(owner, item.body) };
      const { message, details } = slugReservedError(reserved, item.body);
      return { error: { message, details } };
    });
  }

  return {
    async bulkCreateUrls({ caller, body: { urls: items }, write }) {
      let creation = await service.findFirstResult<Creation>(items, write);
      if (!creation) {
        service.assertCapacity(caller.organizationId, items);
        const now = clock();
        const checked = await checkNewItems(caller, items, now);
        creation = await service.createAll(caller, checked, now, write);
      }
      const { result, replayed } = creation;
      const linkOrigins = origins();
      const created: z.input<typeof urlBulkCreateResult>['created'] = [];
      const errors: z.input<typeof urlBulkCreateResult>['errors'] = [];
      for (const [index, outcome] of result.outcomes.entries()) {
        if (outcome.status === 'invalid') {
          const { error: message, details = [] } = outcome;
          const failed = failedItem(index, items[index], { message, details });
          errors.push({ ...failed, code: 'CREATE_FAILED' });
          continue;
        }
        // The item is valid, because its outcome is not 'invalid'.
        const item = items[index] as Pick<
          UrlCreateRequest,
          'targetUrl' | 'customSlug' | 'externalId'
        >;
        const { externalId = null } = item;
        if (outcome.status === 'created') {
          created.push({ index, ...toNewLink(linkOrigins, outcome, item), externalId });
        } else if (outcome.status === 'existing') {
          const { customSlug } = outcome;
          const link = toNewLink(linkOrigins, outcome, { ...item, customSlug });
          created.push({ index, ...link, externalId, isExisting: true });
        } else {
          const { code, ...error } = bulkCreateError(outcome.status, { ...item, ...outcome });
          errors.push({ ...failedItem(index, item, error), code });
        }
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

    async bulkUpdateUrls({ caller, body: { updates: items }, write }) {
      const now = clock();
      let update = await service.findFirstResult<UpdateOutcome<UpdatedItem>[]>(items, write);
      if (!update) service.assertCapacity(caller.organizationId, items);
      const checked = await mapInSlices(items, (item) => checkItem(urlBulkUpdateItem, item));
      update ??= await service.updateAll(
        validOf(checked),
        (url) => ({ ...toListItem(origins(), url, now), externalId: url.externalId }),
        contextOf(caller, now, write),
      );
      const { result: outcomes, replayed } = update;
      const updated: z.input<typeof urlBulkUpdateResult>['updated'] = [];
      const errors: z.input<typeof urlBulkUpdateResult>['errors'] = [];
      for (const [index, item] of checked.entries()) {
        if ('error' in item) {
          const failed = failedItem(index, items[index], item.error);
          errors.push({ ...failed, id: idOf(items[index]), code: 'UPDATE_FAILED' });
          continue;
        }
        const outcome = outcomes.shift() as UpdateOutcome<UpdatedItem>;
        if (outcome.status === 'updated') {
          // Results of earlier versions have no external id.
          updated.push({
            index,
            ...outcome.presented,
            externalId: outcome.presented.externalId ?? null,
          });
          continue;
        }
        const { code, ...error } =
          outcome.status === 'refused'
            ? { ...invalidItem([outcome.error]), code: 'UPDATE_FAILED' as const }
            : bulkUpdateError(outcome.status, { ...item.body, ...outcome });
        const failed = failedItem(index, item.body, error);
        errors.push({ ...failed, id: String(item.body.id), code });
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

    async bulkDeleteUrls({ caller, query, body, write }) {
      if (query.ids && body) {
        throw validationError([
          { path: 'ids', message: 'must come in the query or in the body, not in both' },
        ]);
      }
      const given = query.ids ?? body?.ids;
      if (!given) {
        throw validationError([
          { path: 'ids', message: 'is required, in the query or in the body' },
        ]);
      }
      const elements = [...new Set(given.map(idText))];
      const ids = elements.map(parseUrlId).filter((id) => id !== undefined);
      const { result, replayed } = await service.deleteAll(
        ids,
        (found) => found.map(({ id }) => id),
        contextOf(caller, clock(), write),
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

function checkItem<Schema extends z.ZodType>(
  schema: Schema,
  item: unknown,
): CheckedItem<z.output<Schema>> {
  const parsed = parseInput(schema, item);
  if (parsed.ok) return { body: parsed.value };
  return { error: invalidItem(parsed.details, parsed.count) };
}

/** Returns the fields that the errors of all items have. */
function failedItem(index: number, item: unknown, { message, details }: ItemError) {
  const { externalId = null } = Object(item) as { readonly externalId?: unknown };
  return {
    ...{ index, message, error: message },
    externalId: isShortText(externalId) ? externalId : null,
    details: [...details],
  };
}

/** Returns an element of a bulk delete as text. Only an id that is correct is the text of an id. */
function idText(element: unknown): string {
  const isPlain = typeof element === 'string' || typeof element === 'number';
  return shorten(isPlain ? String(element) : JSON.stringify(element));
}

// An invalid id may be any text. A longer one than an external id may be is not repeated in the response.
const maxReturnedIdLength = 255;

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxReturnedIdLength;
}

/** Returns the id of an invalid item; null when it has none, or one that is too long. */
function idOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null || !('id' in item)) return null;
  const id = typeof item.id === 'number' ? String(item.id) : item.id;
  return isShortText(id) ? id : null;
}
