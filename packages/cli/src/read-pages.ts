import type { Page, PagedList } from '@shorty/sdk';

/**
 * Yields the items of each page of a list. Requests a page while the caller still uses the page before,
 * so that server and client work at the same time.
 */
export async function* readPages<Item, P extends Page<Item>>(
  list: PagedList<Item, P>,
): AsyncGenerator<readonly Item[], void, undefined> {
  const pages = list.pages();
  let next = pages.next();
  for (;;) {
    const { done, value: page } = await next;
    if (done) return;
    next = pages.next();
    // The caller gets the error when it asks for this page.
    next.catch(() => {});
    yield page.items;
  }
}
