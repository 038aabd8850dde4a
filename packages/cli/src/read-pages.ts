import { setImmediate } from 'node:timers/promises';

/**
 * Yields the pages of a list or an export. Requests a page while the caller still uses the one before, so
 * that server and client work at the same time.
 */
export async function* readPages<Page extends { readonly nextAfter: string | null }>(
  read: (position: { readonly after?: string }) => PromiseLike<Page>,
): AsyncGenerator<Page, void, undefined> {
  let next: Promise<Page> | undefined = Promise.resolve(read({}));
  while (next) {
    const page: Page = await next;
    const { nextAfter } = page;
    next = nextAfter === null ? undefined : Promise.resolve(read({ after: nextAfter }));
    // The caller gets the error when it asks for this page.
    next?.catch(() => {});
    // Sends the request before the caller occupies this thread.
    await setImmediate();
    yield page;
  }
}

/** Groups items into pages of `size`. The last page can be shorter. */
export async function* groupIntoPages<T>(
  items: AsyncIterable<T> | Iterable<T>,
  size: number,
): AsyncGenerator<readonly T[]> {
  let page: T[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
