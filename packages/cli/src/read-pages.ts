import { setImmediate } from 'node:timers/promises';

/** Yields the pages of an export. */
export async function* readTexts<Page extends { readonly nextAfter: string | null }>(
  readPage: (position: { readonly after?: string }) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  let position: { readonly after?: string } | undefined = {};
  while (position) {
    const page: Page = await readPage(position);
    yield page;
    position = page.nextAfter === null ? undefined : { after: page.nextAfter };
  }
}

/**
 * Yields the values of a generator. Requests a value while the caller still uses the value before, so
 * that server and client work at the same time.
 */
export async function* readAhead<T>(
  values: AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  let next = values.next();
  for (;;) {
    const { done, value } = await next;
    if (done) return;
    next = values.next();
    // The caller gets the error when it asks for this value.
    next.catch(() => {});
    // Sends the request before the caller occupies this thread.
    await setImmediate();
    yield value;
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
