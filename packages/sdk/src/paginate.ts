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
 * A list that has not been asked for yet: awaited it is one page, iterated it is every item.
 *
 * An iteration yields no item twice, and none that was on the list from its beginning to its end
 * is missing, whatever is created, changed or deactivated meanwhile.
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

  // biome-ignore lint/suspicious/noThenProperty: awaiting the list is how one page is read.
  then<A = P, B = never>(
    onFulfilled?: ((page: P) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#load().then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<P | B> {
    return this.#load().catch(onRejected);
  }

  /** One page together with status, headers and request id. */
  withResponse(): Promise<WithResponse<P>> {
    return this.#load().withResponse();
  }

  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    return iterate(this.#query, this.#fetchPage);
  }

  #load(): ApiPromise<P> {
    this.#page ??= this.#fetchPage(this.#query);
    return this.#page;
  }
}

/**
 * Pages overlap by one item, because the list moves between requests. The order of two items never
 * changes, so a page that begins with an item seen before follows on; one that does not may have
 * skipped some (those before it have left the list), and the walk goes back until one does.
 */
async function* iterate<Item extends { readonly id: string }>(
  query: PageQuery,
  fetchPage: FetchPage<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  // Of two at least: with an overlap of one, pages of one would not get on.
  const limit = query.limit === 1 ? 2 : (query.limit ?? pageSize);
  const firstOffset = query.offset ?? 0;
  const seen = new Set<string>();
  let offset = firstOffset;
  let step = limit;
  for (;;) {
    const { items, total } = await fetchPage({ limit, offset });
    const [first] = items;
    if (offset > firstOffset && !(first && seen.has(first.id))) {
      offset = Math.max(firstOffset, offset - step);
      step *= 2;
      continue;
    }
    step = limit;
    for (const item of items) {
      if (seen.has(item.id)) continue;
      seen.add(item.id);
      yield item;
    }
    if (items.length === 0 || offset + items.length >= total) return;
    offset += Math.max(1, items.length - 1);
  }
}
