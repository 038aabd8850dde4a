import type { ApiPromise } from '../api-promise.js';
import { type BulkItems, runBulk } from '../bulk.js';
import { GeneratedUrlsResource } from '../generated/resources.js';
import type { BulkOptions, ChangeOptions, RequestOptions } from '../options.js';
import type { PagedList } from '../paginate.js';
import type {
  UrlBulkCreateResult,
  UrlBulkDeleteResult,
  UrlBulkUpdateItem,
  UrlBulkUpdateResult,
  UrlCreateRequest,
  UrlId,
  UrlListItem,
  UrlListItemPage,
  UrlListQuery,
  UrlRecord,
  UrlRecordPage,
} from '../types.js';

/** Short links: `shorty.urls`. */
export class UrlsResource extends GeneratedUrlsResource {
  /**
   * Lists links, by default newest first: one page of `limit` links when awaited, all links when
   * iterated. With `view: 'full'`, the links have all their fields.
   *
   * @example
   * ```ts
   * for await (const item of shorty.urls.list({ tag: 'launch' })) console.log(item.shortUrl);
   * ```
   */
  override list(
    query: UrlListQuery & { view: 'full' },
    options?: RequestOptions,
  ): PagedList<UrlRecord, UrlRecordPage>;
  override list(
    query?: UrlListQuery,
    options?: RequestOptions,
  ): PagedList<UrlListItem, UrlListItemPage>;
  override list(query: UrlListQuery = {}, options?: RequestOptions) {
    return this.api.list('GET /api/v1/urls', { query }, options);
  }

  /**
   * Reads all links with all their fields, and yields one line of NDJSON for each, which make one file.
   *
   * @example
   * ```ts
   * import { writeFile } from 'node:fs/promises';
   *
   * await writeFile('links.ndjson', shorty.urls.exportAll({ tag: 'launch' }));
   * ```
   */
  async *exportAll(
    query: Omit<UrlListQuery, 'view'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<string, void, undefined> {
    for await (const link of this.list({ ...query, view: 'full' }, options)) {
      yield `${JSON.stringify(link)}\n`;
    }
  }

  /**
   * Erases a link with its visits, QR codes and events, and returns the empty record. Nothing can
   * restore it. Needs the scope urls:erase. Rejects with ServerError if it takes longer: it continues,
   * and the same call with the same `idempotencyKey` waits for it.
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.erase('42'));
   * ```
   */
  erase(id: UrlId, options?: ChangeOptions): ApiPromise<UrlRecord> {
    const query = { erase: true };
    return this.api.send('DELETE /api/v1/urls/{id}', { params: { id }, query }, options);
  }

  /**
   * Creates any number of links, in requests of 100. Items that the server refuses are in `errors`. If
   * a whole request fails, the call rejects with ShortyBulkError, which has the results so far. With an
   * `idempotencyKey`, the requests have the keys `<key>-0`, `<key>-1` and so on: the same call within
   * 24 hours creates no link twice.
   *
   * @example
   * ```ts
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
    options?: BulkOptions<UrlBulkCreateResult>,
  ): Promise<UrlBulkCreateResult> {
    const total = { requested: 0, createdCount: 0, failedCount: 0, created: [], errors: [] };
    const send = (urls: UrlCreateRequest[], request: RequestOptions) =>
      this.bulkCreateChunk({ urls }, request);
    return runBulk(items, send, total, options);
  }

  /**
   * Changes any number of links, in requests of 100. With a `concurrency` above 1, two changes of the
   * same link may be applied in either order. Fails like `bulkCreate`.
   *
   * @example
   * ```ts
   * const { errors } = await shorty.urls.bulkUpdate([{ id: '42', isActive: true }]);
   * for (const { index, code, error } of errors) console.log(index, code, error);
   * ```
   */
  bulkUpdate(
    items: BulkItems<UrlBulkUpdateItem>,
    options?: BulkOptions<UrlBulkUpdateResult>,
  ): Promise<UrlBulkUpdateResult> {
    const total = { requested: 0, updatedCount: 0, failedCount: 0, updated: [], errors: [] };
    const send = (updates: UrlBulkUpdateItem[], request: RequestOptions) =>
      this.bulkUpdateChunk({ updates }, request);
    return runBulk(items, send, total, options);
  }

  /**
   * Deletes any number of links, in requests of 100. Unknown ids are in `skippedIds`. An id that is
   * repeated in a later request is counted again. Fails like `bulkCreate`.
   *
   * @example
   * ```ts
   * const { deletedIds, skippedIds } = await shorty.urls.bulkDelete(['42', 43]);
   * console.log(deletedIds, skippedIds);
   * ```
   */
  bulkDelete(
    ids: BulkItems<UrlId>,
    options?: BulkOptions<UrlBulkDeleteResult>,
  ): Promise<UrlBulkDeleteResult> {
    const total = {
      requested: 0,
      deletedCount: 0,
      skippedCount: 0,
      deletedIds: [],
      skippedIds: [],
    };
    const send = (chunk: UrlId[], request: RequestOptions) =>
      this.bulkDeleteChunk({ ids: chunk }, request);
    return runBulk(ids, send, total, options);
  }
}
