import type { ApiPromise, WithResponse } from './api-promise.js';

export interface Page<Item> {
  total: number;
  limit: number;
  offset: number;
  items: Item[];
}

interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

type FetchPage<P> = (query: PageQuery) => ApiPromise<P>;

const pageSize = 100;

/**
 * A list that is requested lazily: `await` reads one page, `for await` reads all items.
 *
 * An iteration yields no item twice. It yields every item that stays on the list, even if other items
 * are created, changed or deactivated meanwhile.
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
export class PagedList<Item extends { readonly id: string }, P extends Page<Item> = Page<Item>>
  implements PromiseLike<P>, AsyncIterable<Item>
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
    return this.#load().catch(onRejected);
  }

  /** Returns one page together with status, headers and request id. */
  withResponse(): Promise<WithResponse<P>> {
    return this.#load().withResponse();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Yields all pages, without items of the pages before. */
  pages(): AsyncGenerator<P, void, undefined> {
    return pages(this.#query, this.#fetchPage);
  }

  /** Returns all items, or the first `limit` ones. */
  async toArray({ limit = Infinity }: { limit?: number | undefined } = {}): Promise<Item[]> {
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

/**
 * Yields all pages. The list can change between requests, so each page repeats the last item of the
 * page before. If the first item of a page is new, items may have been skipped. The iteration then
 * goes back until a page begins with a known item. This works because the order of items is stable.
 */
async function* pages<Item extends { readonly id: string }, P extends Page<Item>>(
  query: PageQuery,
  fetchPage: FetchPage<P>,
): AsyncGenerator<P, void, undefined> {
  // Pages overlap by one item, so pages of one item would not advance.
  const limit = query.limit === 1 ? 2 : (query.limit ?? pageSize);
  const firstOffset = query.offset ?? 0;
  const seen = new Set<string>();
  let offset = firstOffset;
  let step = limit;
  for (;;) {
    const page = await fetchPage({ limit, offset });
    const { items, total } = page;
    const [first] = items;
    if (offset > firstOffset && !(first && seen.has(first.id))) {
      offset = Math.max(firstOffset, offset - step);
      step *= 2;
      continue;
    }
    step = limit;
    const unseen = items.filter(({ id }) => !seen.has(id));
    for (const { id } of unseen) seen.add(id);
    yield { ...page, items: unseen };
    if (items.length === 0 || offset + items.length >= total) return;
    offset += Math.max(1, items.length - 1);
  }
}
