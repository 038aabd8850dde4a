import { validationError } from '../contract/api-error.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Clock } from '../ports.js';
import { type LinkOrigins, shortUrlOf, toListItem, toRecord } from './present-url.js';
import type { urlRoutes } from './url-contract.js';
import type { UrlService } from './url-service.js';

export function urlHandlers(
  service: UrlService,
  origins: () => LinkOrigins,
  clock: Clock,
): HandlersOf<typeof urlRoutes> {
  return {
    async createUrl({ caller, body, idempotency }) {
      const { url, createdAt, replayed } = await service.create(
        caller.organizationId,
        body,
        idempotency,
      );
      const customSlug = body.customSlug ?? null;
      return {
        status: 201,
        replayed,
        data: {
          id: String(url.id),
          shortCode: url.shortCode,
          targetUrl: body.targetUrl,
          customSlug,
          shortUrl: shortUrlOf(origins(), { ...url, customSlug }),
          organizationId: caller.organizationId,
          createdAt: new Date(createdAt).toISOString(),
        },
      };
    },

    async listUrls({ caller, query }) {
      const { total, urls } = await service.list(caller.organizationId, query);
      const now = clock();
      return {
        status: 200,
        data: {
          total,
          limit: query.limit,
          offset: query.offset,
          items: urls.map((url) => toListItem(origins(), url, now)),
        },
      };
    },

    async bulkCreateUrls({ caller, body, idempotency }) {
      const { created, errors, replayed } = await service.bulkCreate(
        caller.organizationId,
        body.urls,
        idempotency,
      );
      const linkOrigins = origins();
      return {
        status: created.length > 0 ? 201 : 207,
        replayed,
        data: {
          requested: body.urls.length,
          createdCount: created.length,
          failedCount: errors.length,
          created: created.map(({ index, id, shortCode, hostname }) => {
            // The item is valid, because the link was created from it.
            const { targetUrl, customSlug = null } = body.urls[index] as {
              targetUrl: string;
              customSlug?: string | null;
            };
            const shortUrl = shortUrlOf(linkOrigins, { shortCode, customSlug, hostname });
            return { index, id: String(id), shortCode, targetUrl, customSlug, shortUrl };
          }),
          errors: [...errors],
        },
      };
    },

    async bulkUpdateUrls({ caller, body }) {
      const { updated, errors } = await service.bulkUpdate(caller.organizationId, body.updates);
      const now = clock();
      return {
        status: updated.length > 0 ? 200 : 207,
        data: {
          requested: body.updates.length,
          updatedCount: updated.length,
          failedCount: errors.length,
          updated: updated.map(({ index, url }) => ({
            index,
            ...toListItem(origins(), url, now),
          })),
          errors: [...errors],
        },
      };
    },

    async bulkDeleteUrls({ caller, query, body }) {
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
      const ids = [...new Set(given)];
      const deleted = await service.bulkDelete(caller.organizationId, ids);
      const deletedIds = ids.filter((id) => deleted.has(id)).map(String);
      const skippedIds = ids.filter((id) => !deleted.has(id)).map(String);
      return {
        status: 200,
        data: {
          requested: ids.length,
          deletedCount: deletedIds.length,
          skippedCount: skippedIds.length,
          deletedIds,
          skippedIds,
        },
      };
    },

    async getUrl({ caller, params }) {
      const url = await service.get(caller.organizationId, params.id);
      return { status: 200, data: toRecord(origins(), url, clock()) };
    },

    async updateUrl({ caller, params, body }) {
      const url = await service.update(caller.organizationId, params.id, body);
      return { status: 200, data: toRecord(origins(), url, clock()) };
    },

    async deleteUrl({ caller, params }) {
      const url = await service.delete(caller.organizationId, params.id);
      return { status: 200, data: toRecord(origins(), url, clock()) };
    },
  };
}
