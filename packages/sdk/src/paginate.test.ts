import fc from 'fast-check';
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

/** A list of the newest first, which changes between two requests as a test says. */
class MovingList {
  readonly asked: PageQuery[] = [];
  readonly left = new Set<string>();
  readonly #changes: (() => void)[];
  #items: Item[];
  #newest: number;

  constructor(size: number, changes: ((list: MovingList) => void)[] = []) {
    this.#newest = size;
    this.#items = Array.from({ length: size }, (_, at) => ({ id: String(size - at) }));
    this.#changes = changes.map((change) => () => change(this));
  }

  get ids(): string[] {
    return this.#items.map(({ id }) => id);
  }

  add(count: number): void {
    for (let at = 0; at < count; at++) this.#items.unshift({ id: String(++this.#newest) });
  }

  /** Takes items off the list, as deactivating them does with a filter. */
  remove(isRemoved: (at: number, id: string) => boolean): void {
    this.#items = this.#items.filter(({ id }, at) => {
      if (!isRemoved(at, id)) return true;
      this.left.add(id);
      return false;
    });
  }

  readonly fetchPage = (query: PageQuery): ApiPromise<Page<Item>> => {
    const { limit = 25, offset = 0, after } = query;
    if (this.asked.length > 0) this.#changes.shift()?.();
    this.asked.push(JSON.parse(JSON.stringify(query)));
    if (this.asked.length > 5000) throw new Error('the iteration does not end');
    const rest = this.#items.filter(({ id }) => after === undefined || Number(id) < Number(after));
    const items = rest.slice(offset, offset + limit);
    const nextAfter = rest.length > offset + limit ? (items.at(-1)?.id ?? null) : null;
    const data = { total: this.#items.length, limit, offset, items, nextAfter };
    const response = { status: 200, headers: new Headers(), requestId: 'req-1' };
    return new ApiPromise(Promise.resolve({ data, response }));
  };

  async iterate(query: PageQuery = {}): Promise<string[]> {
    const items = await collect(new PagedList<Item>(query, this.fetchPage));
    return items.map(({ id }) => id);
  }
}

describe('a list that is awaited', () => {
  it('requests one page once, with the given limit', async () => {
    const moving = new MovingList(60);
    const list = new PagedList<Item>({ limit: 50, offset: 3 }, moving.fetchPage);
    expect(moving.asked).toEqual([]);
    const page = await list;
    expect(page).toMatchObject({ total: 60, limit: 50, offset: 3 });
    expect(page.items).toHaveLength(50);
    await expect(list).resolves.toBe(page);
    const { data, response } = await list.withResponse();
    expect(data).toBe(page);
    expect(response.requestId).toBe('req-1');
    expect(moving.asked).toEqual([{ limit: 50, offset: 3 }]);
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
    const moving = new MovingList(size);
    await expect(moving.iterate()).resolves.toEqual(moving.ids);
    expect(moving.asked[0]).toEqual({ limit: 100 });
    expect(moving.asked).toHaveLength(Math.max(1, Math.ceil(size / 100)));
  });

  it('returns an array of all items, or of the first ones without further requests', async () => {
    const moving = new MovingList(250);
    const list = new PagedList<Item>({}, moving.fetchPage);
    const ids = async (options?: { limit: number }) =>
      (await list.toArray(options)).map(({ id }) => id);
    await expect(ids()).resolves.toEqual(moving.ids);
    await expect(ids({ limit: 1000 })).resolves.toEqual(moving.ids);
    moving.asked.length = 0;
    await expect(ids({ limit: 0 })).resolves.toEqual([]);
    expect(moving.asked).toHaveLength(0);
    await expect(ids({ limit: -1 })).rejects.toThrow('limit must be a number from 0, not -1');
    await expect(ids({ limit: Number.NaN })).rejects.toThrow('limit must be a number from 0');
    await expect(ids({ limit: 100 })).resolves.toEqual(moving.ids.slice(0, 100));
    expect(moving.asked).toHaveLength(1);
  });

  it('starts at an offset, can be iterated again, and sends its filters with every page', async () => {
    const moving = new MovingList(30);
    const query = { limit: 10, offset: 12, tag: 'launch' };
    const list = new PagedList<Item>(query, moving.fetchPage);
    const first = await collect(list);
    expect(first.map(({ id }) => id)).toEqual(moving.ids.slice(12));
    await expect(collect(list)).resolves.toEqual(first);
    const pages = await collect(list.pages());
    expect(pages.flatMap(({ items }) => items)).toEqual(first);
    expect(pages.map(({ total, limit }) => [total, limit])).toEqual(Array(2).fill([30, 10]));
    expect(new Set(moving.asked.map(({ tag }) => tag))).toEqual(new Set(['launch']));
  });

  it('requests no page before the first item is read', async () => {
    const moving = new MovingList(500);
    for await (const { id } of new PagedList<Item>({}, moving.fetchPage)) if (id === '450') break;
    expect(moving.asked).toHaveLength(1);
  });

  const change = fc.oneof(
    fc.nat(30).map((count) => (list: MovingList) => list.add(count)),
    fc.tuple(fc.integer({ min: 2, max: 7 }), fc.nat(6)).map(
      ([every, rest]) =>
        (list: MovingList) =>
          list.remove((at) => at % every === rest),
    ),
    fc.tuple(fc.nat(60), fc.nat(60)).map(([from, size]) => (list: MovingList) => {
      list.remove((at) => at >= from && at < from + size);
    }),
  );

  it('yields each remaining item exactly once under random changes', async () => {
    const changes = fc.array(change, { maxLength: 30 });
    const limits = fc.integer({ min: 1, max: 20 });
    await fc.assert(
      fc.asyncProperty(fc.nat(120), limits, changes, async (size, limit, steps) => {
        const moving = new MovingList(size, steps);
        const before = moving.ids;
        const seen = await moving.iterate({ limit });
        expect(new Set(seen).size).toBe(seen.length);
        const stayed = before.filter((id) => !moving.left.has(id));
        const isOld = new Set(stayed);
        expect(seen.filter((id) => isOld.has(id))).toEqual(stayed);
      }),
      { numRuns: 500 },
    );
  });
});
