import type { Page } from '@shorty/sdk';
import type { Context } from '../../context.js';
import { groupIntoPages } from '../../group-into-pages.js';
import type { Column } from '../../output.js';
import { describeRange, type PageOptions } from '../page-options.js';

interface PageQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly after?: string;
}

/** Prints one page, or with `--all` every page, of a list that the client has no method for. */
export async function listPages<Item extends object>(
  { output }: Context,
  { limit, offset, all }: PageOptions,
  columns: readonly Column<Item>[],
  read: (query: PageQuery) => PromiseLike<Page<Item>>,
): Promise<void> {
  if (all) return output.list(readAll(read), columns);
  const { items, ...head } = await read({
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
  });
  await output.list(groupIntoPages(items, 100), columns, head);
  const shown = head.offset + items.length;
  if (output.format === 'table' && items.length > 0 && shown < head.total) {
    output.note(describeRange(head.offset, shown, head.total));
  }
}

async function* readAll<Item>(read: (query: PageQuery) => PromiseLike<Page<Item>>) {
  let page = await read({ limit: 100 });
  yield page.items;
  while (page.nextAfter !== null) {
    page = await read({ limit: 100, after: page.nextAfter });
    yield page.items;
  }
}
