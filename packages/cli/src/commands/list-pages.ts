import { formatNumber } from '@shorty/report';
import type { Page } from '@shorty/sdk';
import { type OptionRows, parseCount, parsePositive } from '../command.js';
import type { Context } from '../context.js';
import type { Column } from '../output.js';
import { readAhead } from '../read-pages.js';

/** The options of commands that print a paginated list. */
export interface PageOptions {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly all?: boolean | undefined;
}

export function pageOptions(item: string): OptionRows {
  return {
    '--limit <count>': {
      text: 'number of items, 1 to 100 (default: 25)',
      parse: parsePositive,
      conflicts: 'all',
    },
    '--offset <count>': {
      text: 'number of items to skip',
      parse: parseCount,
      conflicts: 'all',
    },
    '--all': `print every ${item}`,
  };
}

interface PageQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly after?: string;
}

export type ReadPage<Item> = (query: PageQuery) => PromiseLike<Page<Item>>;

/** Prints one page, or with `--all` every page. */
export async function listPages<Item extends object>(
  { output }: Context,
  { limit, offset, all }: PageOptions,
  columns: readonly Column<Item>[],
  read: ReadPage<Item>,
): Promise<undefined> {
  if (all) {
    await output.list(readAhead(readAll(read)), columns);
    return;
  }
  const page = await read({
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
  });
  const { items, ...head } = page;
  await output.list([items], columns, head);
  const shown = page.offset + items.length;
  if (output.format === 'table' && items.length > 0 && shown < page.total) {
    const range = `${formatNumber(page.offset + 1)} to ${formatNumber(shown)}`;
    output.note(`${range} of ${formatNumber(page.total)}; --offset ${shown} shows more`);
  }
}

async function* readAll<Item>(
  read: ReadPage<Item>,
): AsyncGenerator<readonly Item[], void, undefined> {
  let page = await read({ limit: 100 });
  yield page.items;
  while (page.nextAfter !== null) {
    page = await read({ limit: 100, after: page.nextAfter });
    yield page.items;
  }
}
