import type { ApiPromise } from '../api-promise.js';
import type { BulkOptions, RequestOptions } from '../options.js';
import { PagedList } from '../paginate.js';
import { type BulkItems, runBulk } from '../run-bulk.js';
import type { Transport } from '../send-request.js';
import type {
  BulkCreateResult,
  BulkDeleteResult,
  BulkUpdateResult,
  ClicksQuery,
  UrlBulkCreateResult,
  UrlBulkUpdateItem,
  UrlClicks,
  UrlCreated,
  UrlCreateRequest,
  UrlId,
  UrlListItem,
  UrlListQuery,
  UrlPage,
  UrlRecord,
  UrlUpdateRequest,
} from '../types.js';

/** A list of links: one page when awaited, all when iterated. */
export type UrlList = PagedList<UrlListItem, UrlPage>;

/** Short links: `shorty.urls`. */
export class UrlsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a link. Rejects with ValidationError, ConflictError (the slug is taken),
   * QuotaExceededError, and the errors of every request.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const url = await shorty.urls.create({ targetUrl: 'https://example.com', tags: ['launch'] });
   * console.log(url.shortUrl);
   * ```
   */
  create(body: UrlCreateRequest, options?: RequestOptions): ApiPromise<UrlCreated> {
    return this.#transport.send({ method: 'POST', path: ['urls'], body }, options);
  }

  /**
   * Lists links, newest first. `await` reads one page of `limit` links (25 by default). `for await`
   * reads all links, in pages of `limit` (100 by default). No request is sent before.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * for await (const item of shorty.urls.list({ isActive: true })) console.log(item.shortUrl);
   * ```
   */
  list(query: UrlListQuery = {}, options?: RequestOptions): UrlList {
    return new PagedList(query, (page) =>
      this.#transport.send(
        { method: 'GET', path: ['urls'], query: { ...query, ...page } },
        options,
      ),
    );
  }

  /**
   * Reads a link, which may be inactive. Rejects with NotFoundError if the organization has no link
   * with this id.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const url = await shorty.urls.get('42');
   * console.log(url.targetUrl, url.clickCount);
   * ```
   */
  get(id: UrlId, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.#transport.send({ method: 'GET', path: ['urls', id] }, options);
  }

  /**
   * Reads the clicks of a link. The default is the last 30 days, grouped by day. Bots, link previews
   * and prefetches do not count. Rejects with NotFoundError if the organization has no link with this
   * id, and with ValidationError for an invalid window.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { totals, timeseries } = await shorty.urls.clicks('42', { groupBy: 'hour', limit: 5 });
   * console.log(totals.totalClicks, totals.uniqueClicks, timeseries.length);
   * ```
   */
  clicks(id: UrlId, query: ClicksQuery = {}, options?: RequestOptions): ApiPromise<UrlClicks> {
    return this.#transport.send({ method: 'GET', path: ['urls', id, 'clicks'], query }, options);
  }

  /**
   * Changes the given fields. Null clears a field. `isActive` deactivates or activates the link.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * await shorty.urls.update('42', { targetUrl: 'https://example.com/autumn', title: null });
   * ```
   */
  update(id: UrlId, patch: UrlUpdateRequest, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.#transport.send({ method: 'PATCH', path: ['urls', id], body: patch }, options);
  }

  /**
   * Deactivates a link and returns it. The record is not deleted, so `update` can activate it again.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { isActive } = await shorty.urls.delete('42'); // false
   * ```
   */
  delete(id: UrlId, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.#transport.send({ method: 'DELETE', path: ['urls', id] }, options);
  }

  /**
   * Creates any number of links, in requests of 100. Items that the server refuses are in `errors`.
   * If a whole request fails, the call rejects with ShortyBulkError, which has the results so far.
   * With an `idempotencyKey`, the requests have the keys `<key>-0`, `<key>-1` and so on. Repeating the
   * call with the same items and key within 24 hours creates no link twice.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const targets = ['https://example.com/a', 'https://example.com/b'];
   * const { created, errors } = await shorty.urls.bulkCreate(
   *   targets.map((targetUrl) => ({ targetUrl })),
   *   { concurrency: 4, onChunk: ({ createdCount }) => console.log(createdCount) },
   * );
   * console.log(created.length, errors);
   * ```
   */
  bulkCreate(
    items: BulkItems<UrlCreateRequest>,
    options: BulkOptions<BulkCreateResult> = {},
  ): Promise<BulkCreateResult> {
    const { idempotencyKey: key } = options;
    return runBulk<UrlCreateRequest, BulkCreateResult>({
      items,
      options,
      total: { requested: 0, createdCount: 0, failedCount: 0, created: [], errors: [] },
      send: (urls, chunkIndex) =>
        this.bulkCreateChunk(urls, {
          ...options,
          idempotencyKey: key === undefined ? undefined : `${key}-${chunkIndex}`,
        }),
      rebase: (result, firstIndex) => ({
        ...result,
        created: rebase(result.created, firstIndex),
        errors: rebase(result.errors, firstIndex),
      }),
    });
  }

  /**
   * Creates at most 100 links in one request, for callers that split their input themselves.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { data, response } = await shorty.urls
   *   .bulkCreateChunk([{ targetUrl: 'https://example.com' }], { idempotencyKey: 'import-7-rows-0' })
   *   .withResponse();
   * console.log(data.createdCount, response.headers.get('idempotent-replayed'));
   * ```
   */
  bulkCreateChunk(
    items: readonly UrlCreateRequest[],
    options?: RequestOptions,
  ): ApiPromise<UrlBulkCreateResult> {
    const request = { method: 'POST', path: ['urls', 'bulk'], body: { urls: items } } as const;
    return this.#transport.send(request, options);
  }

  /**
   * Changes any number of links, in requests of 100. With a `concurrency` above 1, two changes of the
   * same link may be applied in either order.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { errors } = await shorty.urls.bulkUpdate([{ id: '42', isActive: true }]);
   * for (const { index, error, code } of errors) console.log(index, code, error);
   * ```
   */
  bulkUpdate(
    updates: BulkItems<UrlBulkUpdateItem>,
    options: BulkOptions<BulkUpdateResult> = {},
  ): Promise<BulkUpdateResult> {
    return runBulk<UrlBulkUpdateItem, BulkUpdateResult>({
      items: updates,
      options,
      total: { requested: 0, updatedCount: 0, failedCount: 0, updated: [], errors: [] },
      send: (chunk) =>
        this.#transport.send(
          { method: 'PATCH', path: ['urls', 'bulk'], body: { updates: chunk } },
          options,
        ),
      rebase: (result, firstIndex) => ({
        ...result,
        updated: rebase(result.updated, firstIndex),
        errors: rebase(result.errors, firstIndex),
      }),
    });
  }

  /**
   * Deactivates any number of links, in requests of 100. Unknown ids are in `skippedIds`. An id that
   * is repeated in a later request is counted again.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { deletedIds, skippedIds } = await shorty.urls.bulkDelete(['42', 43]);
   * console.log(deletedIds, skippedIds);
   * ```
   */
  bulkDelete(
    ids: BulkItems<UrlId>,
    options: BulkOptions<BulkDeleteResult> = {},
  ): Promise<BulkDeleteResult> {
    return runBulk<UrlId, BulkDeleteResult>({
      items: ids,
      options,
      total: { requested: 0, deletedCount: 0, skippedCount: 0, deletedIds: [], skippedIds: [] },
      send: (chunk) =>
        this.#transport.send(
          { method: 'DELETE', path: ['urls', 'bulk'], body: { ids: chunk } },
          options,
        ),
      rebase: (result) => result,
    });
  }
}

function rebase<T extends { index: number }>(entries: readonly T[], firstIndex: number): T[] {
  return entries.map((entry) => ({ ...entry, index: entry.index + firstIndex }));
}
