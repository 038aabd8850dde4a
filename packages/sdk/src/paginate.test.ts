import { describe, expect, it } from 'vitest';
import { collect } from '../test/collect.js';
import { ApiPromise } from './api-promise.js';
import { type Page, PagedList } from './paginate.js';

interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly after?: string | undefined;
  /** A filter. */
  readonly tag?: string;
}

interface Item {
  readonly id: string;
}

/** A list of the newest first, and the queries for its pages. */
function listOf(size: number, query: PageQuery = {}) {
  const asked: PageQuery[] = [];
  const all = Array.from({ length: size }, (_, at): Item => ({ id: String(size - at) }));
  const fetchPage = (page: PageQuery): ApiPromise<Page<Item>> => {
    const { limit = 25, offset = 0, after } = page;
    asked.push(JSON.parse(JSON.stringify(page)));
    const rest = all.filter(({ id }) => after === undefined || Number(id) < Number(after));
    const items = rest.slice(offset, offset + limit);
    const nextAfter = rest.length > offset + limit ? (items.at(-1)?.id ?? null) : null;
    const data = { total: size, limit, offset, items, nextAfter };
    const response = { status: 200, headers: new Headers(), requestId: 'req-1' };
    return new ApiPromise(Promise.resolve({ data, response }));
  };
  return { asked, all, list: new PagedList<Item>(query, fetchPage) };
}

describe('a list that is awaited', () => {
  it('requests one page once, with the given limit', async () => {
    const { asked, list } = listOf(60, { limit: 50, offset: 3 });
    expect(asked).toEqual([]);
    const page = await list;
    expect(page).toMatchObject({ total: 60, limit: 50, offset: 3 });
    expect(page.items).toHaveLength(50);
    await expect(list).resolves.toBe(page);
    const { data, response } = await list.withResponse();
    expect(data).toBe(page);
    expect(response.requestId).toBe('req-1');
    expect(asked).toEqual([{ limit: 50, offset: 3 }]);
  });

  it('rejects with the error of the request', async () => {
    const failure = new Error('failed');
    const list = new PagedList<Item>({}, () => new ApiPromise<Page<Item>>(Promise.reject(failure)));
    await expect(list).rejects.toBe(failure);
    await expect(list.catch((reason: unknown) => reason)).resolves.toBe(failure);
    await expect(collect(list)).rejects.toBe(failure);
    await expect(list.finally(() => {})).rejects.toBe(failure);
  });
});

describe('a list that is iterated', () => {
  it.each([0, 1, 100, 101, 250])('yields all of %i items', async (size) => {
    const { asked, all, list } = listOf(size);
    await expect(collect(list)).resolves.toEqual(all);
    expect(asked[0]).toEqual({ limit: 100 });
    expect(asked).toHaveLength(Math.max(1, Math.ceil(size / 100)));
  });

  it('returns an array of all items, or of the first ones without further requests', async () => {
    const { asked, all, list } = listOf(250);
    await expect(list.toArray()).resolves.toEqual(all);
    await expect(list.toArray({ limit: 1000 })).resolves.toEqual(all);
    asked.length = 0;
    await expect(list.toArray({ limit: 0 })).resolves.toEqual([]);
    expect(asked).toHaveLength(0);
    const refused = list.toArray({ limit: -1 });
    await expect(refused).rejects.toThrow('limit must be a number from 0, not -1');
    await expect(list.toArray({ limit: Number.NaN })).rejects.toThrow('a number from 0');
    await expect(list.toArray({ limit: 100 })).resolves.toEqual(all.slice(0, 100));
    expect(asked).toHaveLength(1);
  });

  // The server's list-cursors.test.ts proves that a list may change between two pages.
  it('starts at an offset, goes on after the last item, and can be iterated again', async () => {
    const { asked, all, list } = listOf(30, { limit: 10, offset: 12, tag: 'launch' });
    const first = await collect(list);
    expect(first).toEqual(all.slice(12));
    expect(asked).toEqual([
      { limit: 10, offset: 12, tag: 'launch' },
      { limit: 10, after: '9', tag: 'launch' },
    ]);
    await expect(collect(list)).resolves.toEqual(first);
    const pages = await collect(list.pages());
    expect(pages.flatMap(({ items }) => items)).toEqual(first);
    expect(pages.map(({ total, limit }) => [total, limit])).toEqual(Array(2).fill([30, 10]));
  });

  it('requests no page before the first item is read', async () => {
    const { asked, list } = listOf(500);
    for await (const { id } of list) if (id === '450') break;
    expect(asked).toHaveLength(1);
  });
});
