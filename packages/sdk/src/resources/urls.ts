import type { ApiPromise } from '../api-promise.js';
import { type BulkItems, type BulkStream, collectBulk, streamBulk } from '../bulk.js';
import type { BulkOptions, RequestOptions } from '../options.js';
import type { PagedList } from '../paginate.js';
import type {
  BulkCreateResult,
  BulkDeleteResult,
  BulkUpdateResult,
  ClicksQuery,
  PageMetadata,
  RuleTest,
  RuleTestQuery,
  SlugCheck,
  SlugCheckQuery,
  UrlBulkCreateResult,
  UrlBulkUpdateItem,
  UrlClicks,
  UrlCreated,
  UrlCreateRequest,
  UrlExport,
  UrlExportQuery,
  UrlId,
  UrlListItem,
  UrlListQuery,
  UrlPage,
  UrlQrListQuery,
  UrlRecord,
  UrlRecordPage,
  UrlUpdateRequest,
  UrlUpsertRequest,
  VisitErasure,
} from '../types.js';
import type { QrList } from './qr.js';
import { Resource } from './resource.js';

/** A list of links: one page when awaited, all when iterated. */
export interface UrlList extends PagedList<UrlListItem, UrlPage> {}
/** A list of links with all their fields. */
export interface UrlRecordList extends PagedList<UrlRecord, UrlRecordPage> {}

/** Short links: `shorty.urls`. */
export class UrlsResource extends Resource {
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
    return this.api.send('POST /api/v1/urls', { body }, options);
  }

  /**
   * Lists links, newest first. `await` reads one page of `limit` links (25 by default). `for await`
   * reads all links, in pages of `limit` (100 by default). No request is sent before. With
   * `view: 'full'`, the links have all their fields. Rejects with ValidationError for an invalid filter.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * for await (const item of shorty.urls.list({ isActive: true })) console.log(item.shortUrl);
   * ```
   */
  list(query: UrlListQuery & { view: 'full' }, options?: RequestOptions): UrlRecordList;
  list(query?: UrlListQuery, options?: RequestOptions): UrlList;
  list(query: UrlListQuery = {}, options?: RequestOptions): PagedList<UrlListItem | UrlRecord> {
    return this.api.list('GET /api/v1/urls', { query }, options);
  }

  /**
   * Reads one page of a file with all fields of the links: up to 2,000 links, newest first. The texts of
   * all pages make the file, which is CSV or, with `format: 'ndjson'`, one record for each line. Rejects
   * with ValidationError for an invalid filter.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * let page = await shorty.urls.export({ tag: 'launch' });
   * let file = page.text;
   * while (page.nextAfter) {
   *   page = await shorty.urls.export({ tag: 'launch', after: page.nextAfter });
   *   file += page.text;
   * }
   * console.log(file);
   * ```
   */
  export(query: UrlExportQuery = {}, options?: RequestOptions): ApiPromise<UrlExport> {
    return this.api.send('GET /api/v1/urls/export', { query }, options);
  }

  /**
   * Reads the link that has an external id. Rejects with NotFoundError if the organization has none.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { shortUrl } = await shorty.urls.getByExternalId('order-1001');
   * console.log(shortUrl);
   * ```
   */
  getByExternalId(externalId: string, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.api.send(
      'GET /api/v1/urls/by-external-id/{externalId}',
      { params: { externalId } },
      options,
    );
  }

  /**
   * Changes the link that has an external id, or creates it. Missing fields of a link that exists stay as
   * they are. The same call can be repeated at any time. Rejects with ValidationError, ConflictError (the
   * slug is taken) and QuotaExceededError.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const order = { targetUrl: 'https://example.com/orders/1001' };
   * const { shortUrl } = await shorty.urls.upsert('order-1001', order);
   * console.log(shortUrl);
   * ```
   */
  upsert(
    externalId: string,
    body: UrlUpsertRequest,
    options?: RequestOptions,
  ): ApiPromise<UrlRecord> {
    return this.api.send(
      'PUT /api/v1/urls/by-external-id/{externalId}',
      { params: { externalId }, body },
      options,
    );
  }

  /**
   * Finds a link by its short URL, or by its custom slug or short code alone. Rejects with
   * NotFoundError if the organization has no such link, and with ValidationError if links on several
   * domains have the slug or code.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { id, clickCount } = await shorty.urls.lookup('https://sho.example/sale');
   * console.log(id, clickCount);
   * ```
   */
  lookup(shortUrl: string, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.api.send('GET /api/v1/urls/lookup', { query: { shortUrl } }, options);
  }

  /**
   * Returns whether a custom slug may be taken, and why not. Without `domainId`, on the platform's domain.
   * Nothing is reserved.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { isAvailable, message } = await shorty.urls.checkSlug({ slug: 'spring-sale' });
   * console.log(isAvailable, message);
   * ```
   */
  checkSlug(query: SlugCheckQuery, options?: RequestOptions): ApiPromise<SlugCheck> {
    return this.api.send('GET /api/v1/urls/slug', { query }, options);
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
    return this.api.send('GET /api/v1/urls/{id}', { params: { id } }, options);
  }

  /**
   * Lists the QR codes of a link, newest first: one page when awaited, all of them when iterated.
   * Rejects with NotFoundError if the organization has no link with this id.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * for await (const { id, scanCount } of shorty.urls.qrs('42')) console.log(id, scanCount);
   * ```
   */
  qrs(id: UrlId, query: UrlQrListQuery = {}, options?: RequestOptions): QrList {
    return this.api.list('GET /api/v1/urls/{id}/qr', { params: { id }, query }, options);
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
    return this.api.send('GET /api/v1/urls/{id}/clicks', { params: { id }, query }, options);
  }

  /**
   * Returns where the rules of a link lead a visit with these properties. Counts no visit. Rejects with
   * NotFoundError and ValidationError.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { rule, outcomes } = await shorty.urls.testRules('42', { country: 'DE', os: 'iOS' });
   * console.log(rule, outcomes[0]?.location);
   * ```
   */
  testRules(id: UrlId, visit: RuleTestQuery = {}, options?: RequestOptions): ApiPromise<RuleTest> {
    return this.api.send(
      'GET /api/v1/urls/{id}/rules/test',
      { params: { id }, query: visit },
      options,
    );
  }

  /**
   * Lets the server read what a page says about itself: `title`, `description` and `imageUrl`, or the
   * `error` for which it cannot be read.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { title, error } = await shorty.urls.metadata('https://example.com/sale');
   * console.log(title ?? error);
   * ```
   */
  metadata(url: string, options?: RequestOptions): ApiPromise<PageMetadata> {
    return this.api.send('GET /api/v1/urls/metadata', { query: { url } }, options);
  }

  /**
   * Changes the given fields. Null clears a field. `isActive` deactivates or activates the link. Rejects
   * with NotFoundError and ValidationError, with QuotaExceededError if the plan allows no further active
   * link, and with ConflictError if `ifMatch` does not match or the slug is taken on the new domain.
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
    return this.api.send('PATCH /api/v1/urls/{id}', { params: { id }, body: patch }, options);
  }

  /**
   * Deletes a link and returns it. The record stays, and `restore` makes the link active again.
   * Rejects with NotFoundError, and with ConflictError if `ifMatch` does not match.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { isActive, deletedAt } = await shorty.urls.delete('42');
   * console.log(isActive, deletedAt); // false, and the time
   * ```
   */
  delete(id: UrlId, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.api.send('DELETE /api/v1/urls/{id}', { params: { id } }, options);
  }

  /**
   * Erases a link with its visits, QR codes and events, and returns the empty record. Nothing can restore
   * it. Its slug and short code stay taken. Needs the scope urls:erase. Rejects with NotFoundError, with
   * ConflictError if `ifMatch` does not match, and with ServerError if it takes longer: it continues, and
   * the same call with the same `idempotencyKey` waits for it.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { shortCode, targetUrl } = await shorty.urls.erase('42');
   * console.log(shortCode, targetUrl); // the code, and an empty text
   * ```
   */
  erase(id: UrlId, options?: RequestOptions): ApiPromise<UrlRecord> {
    const query = { erase: true };
    return this.api.send('DELETE /api/v1/urls/{id}', { params: { id }, query }, options);
  }

  /**
   * Makes a deleted or paused link active again and returns it. Rejects with NotFoundError, with
   * ValidationError if `expiresAt` has passed, and with QuotaExceededError if the plan allows no further
   * active link.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { isActive, deletedAt } = await shorty.urls.restore('42');
   * console.log(isActive, deletedAt); // true, null
   * ```
   */
  restore(id: UrlId, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.api.send('POST /api/v1/urls/{id}/restore', { params: { id } }, options);
  }

  /**
   * Erases all visits of a link until now. Nothing can restore them. `clickCount`
   * begins at 0 again. Needs the scope keys:write. Rejects with NotFoundError, and with ServerError if it
   * takes longer: it continues, and the same call with the same `idempotencyKey` waits for it.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { erasedUntil } = await shorty.urls.eraseVisits('42');
   * console.log(erasedUntil);
   * ```
   */
  eraseVisits(id: UrlId, options?: RequestOptions): ApiPromise<VisitErasure> {
    return this.api.send('DELETE /api/v1/urls/{id}/visits', { params: { id } }, options);
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
    options?: BulkOptions<BulkCreateResult>,
  ): Promise<BulkCreateResult> {
    return collectBulk(this.api, { kind: 'created', items, options });
  }

  /**
   * Creates any number of links like `bulkCreate`, and yields the result of each request of up to 100
   * items instead of collecting them. A loop that ends early sends no further request.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const items = [{ targetUrl: 'https://example.com/a' }, { targetUrl: 'https://example.com/b' }];
   * for await (const { created, errors } of shorty.urls.bulkCreateStream(items)) {
   *   for (const { index, shortUrl } of created) console.log(index, shortUrl);
   *   for (const { index, error } of errors) console.error(index, error);
   * }
   * ```
   */
  bulkCreateStream(
    items: BulkItems<UrlCreateRequest>,
    options?: BulkOptions<BulkCreateResult>,
  ): BulkStream<BulkCreateResult> {
    return streamBulk(this.api, { kind: 'created', items, options });
  }

  /**
   * Creates at most 100 links in one request, for callers that split their input themselves. Items that
   * the server refuses are in `errors`. Rejects with ValidationError for an empty or longer list.
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
    return this.api.send('POST /api/v1/urls/bulk', { body: { urls: [...items] } }, options);
  }

  /**
   * Changes any number of links, in requests of 100. With a `concurrency` above 1, two changes of the
   * same link may be applied in either order. Items that the server refuses are in `errors`. If a whole
   * request fails, the call rejects with ShortyBulkError, which has the results so far.
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
    options?: BulkOptions<BulkUpdateResult>,
  ): Promise<BulkUpdateResult> {
    return collectBulk(this.api, { kind: 'updated', items: updates, options });
  }

  /**
   * Changes any number of links like `bulkUpdate`, and yields the result of each request of up to 100
   * changes.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const changes = [{ id: '42', title: 'Autumn' }];
   * for await (const { updatedCount } of shorty.urls.bulkUpdateStream(changes)) console.log(updatedCount);
   * ```
   */
  bulkUpdateStream(
    updates: BulkItems<UrlBulkUpdateItem>,
    options?: BulkOptions<BulkUpdateResult>,
  ): BulkStream<BulkUpdateResult> {
    return streamBulk(this.api, { kind: 'updated', items: updates, options });
  }

  /**
   * Deactivates any number of links, in requests of 100. Unknown ids are in `skippedIds`. An id that
   * is repeated in a later request is counted again. If a whole request fails, the call rejects with
   * ShortyBulkError, which has the results so far.
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
    options?: BulkOptions<BulkDeleteResult>,
  ): Promise<BulkDeleteResult> {
    return collectBulk(this.api, { kind: 'deleted', items: ids, options });
  }

  /**
   * Deactivates any number of links like `bulkDelete`, and yields the result of each request of up to
   * 100 ids.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * for await (const { deletedIds } of shorty.urls.bulkDeleteStream(['42', 43])) console.log(deletedIds);
   * ```
   */
  bulkDeleteStream(
    ids: BulkItems<UrlId>,
    options?: BulkOptions<BulkDeleteResult>,
  ): BulkStream<BulkDeleteResult> {
    return streamBulk(this.api, { kind: 'deleted', items: ids, options });
  }
}
