import type { PagedList } from '@shorty/sdk';
import { expect, it } from 'vitest';
import { readPages } from './read-pages.js';

/** Returns a list with these pages, and the number of pages that were requested. */
function listOf(pages: readonly (readonly number[] | Error)[]) {
  const requested = { count: 0 };
  async function* read() {
    for (const items of pages) {
      requested.count += 1;
      if (items instanceof Error) throw items;
      yield { items };
    }
  }
  return { list: { pages: read } as unknown as PagedList<number>, requested };
}

it('requests a page while the page before is used', async () => {
  const { list, requested } = listOf([[1, 2], [3], []]);
  const seen: (readonly number[])[] = [];
  const counts: number[] = [];
  for await (const items of readPages(list)) {
    seen.push(items);
    counts.push(requested.count);
  }
  expect(seen).toEqual([[1, 2], [3], []]);
  expect(counts).toEqual([2, 3, 3]);
});

it('yields the pages before an error', async () => {
  const { list } = listOf([[1], new Error('no connection')]);
  const pages = readPages(list);
  expect((await pages.next()).value).toEqual([1]);
  await expect(pages.next()).rejects.toThrow('no connection');
});

it('ignores the error of a page that is not used', async () => {
  const { list } = listOf([[1], new Error('no connection')]);
  const pages = readPages(list);
  await pages.next();
  expect(await pages.return()).toEqual({ done: true, value: undefined });
});
