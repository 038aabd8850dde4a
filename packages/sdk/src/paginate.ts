import type { ApiPromise, WithResponse } from './api-promise.js';
import { checkNumber, checkOptions, checkQuery } from './check-options.js';

export interface Page<Item> {
  total: number;
  limit: number;
  offset: number;
  items: Item[];
  /** The value of `after` for the next page. Null on the last page. */
  nextAfter: string | null;
}

interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly after?: string | undefined;
}

type FetchPage<P> = (query: PageQuery) => ApiPromise<P>;

const pageSize = 100;

/**
 * A list that is requested lazily: `await` reads one page, `for await` reads all items.
 *
 * An iteration yields no item twice. It yields every item that stays on the list, even if other items
 * are created, changed or deactivated meanwhile. Only if the order itself changes, as it does when
 * links are sorted by clicks, or tags by links, it may miss or repeat items.
 *
 * @example
 * ```ts
 * import { Shorty } from '@shorty/sdk';
 *
 * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
 * for await (const item of shorty.urls.list({ tag: 'launch' })) console.log(item.shortUrl);
 *
 * const page = await shorty.urls.list({ limit: 50 });
 * console.log(`${page.items.length} of ${page.total}`);
 *
 * const first = await shorty.urls.list().toArray({ limit: 1000 });
 * console.log(first.length);
 * ```
 */
export class PagedList<Item, P extends Page<Item> = Page<Item>>
  implements Promise<P>, AsyncIterable<Item>
{
  readonly #query: PageQuery;
  readonly #fetchPage: FetchPage<P>;
  #page: ApiPromise<P> | undefined;

  constructor(query: PageQuery, fetchPage: FetchPage<P>) {
    this.#query = query;
    this.#fetchPage = fetchPage;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting the list reads one page.
  then<A = P, B = never>(
    onFulfilled?: ((page: P) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#load().then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<P | B> {
    return this.then(null, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<P> {
    return this.#load().finally(onFinally);
  }

  get [Symbol.toStringTag](): string {
    return 'PagedList';
  }

  /** Returns one page together with status, headers and request id. */
  withResponse(): Promise<WithResponse<P>> {
    return this.#load().withResponse();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Yields all pages. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    checkQuery(this.#query);
    let query: PageQuery = { limit: pageSize, ...this.#query };
    for (;;) {
      const page = await this.#fetchPage(query);
      yield page;
      if (!page.nextAfter) return;
      query = { ...query, offset: undefined, after: page.nextAfter };
    }
  }

  /** Returns all items, or the first `limit` ones. */
  async toArray(options: { limit?: number | undefined } = {}): Promise<Item[]> {
    checkOptions(options, { limit: true });
    const { limit = Infinity } = options;
    checkNumber('limit', limit, true);
    const all: Item[] = [];
    if (limit > 0) {
      for await (const item of this) if (all.push(item) >= limit) break;
    }
    return all;
  }

  #load(): ApiPromise<P> {
    this.#page ??= this.#fetchPage(this.#query);
    return this.#page;
  }
}
