import type { Page, PagedList } from '@shorty/sdk';
import { type Command, Option } from 'commander';
import type { Context } from '../context.js';
import { formatNumber } from '../format.js';
import { groupIntoPages } from '../group-into-pages.js';
import type { Column } from '../output.js';
import { readPages } from '../read-pages.js';
import { parseCount, parsePositive } from './urls/link-options.js';

/** The options of commands that print a paginated list. */
export interface PageOptions {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly all?: boolean | undefined;
}

export function addPageOptions(command: Command, item: string): Command {
  return command
    .addOption(
      new Option('--limit <count>', 'number of items, 1 to 100 (default: 25)')
        .argParser(parsePositive)
        .conflicts('all'),
    )
    .addOption(
      new Option('--offset <count>', 'number of items to skip')
        .argParser(parseCount)
        .conflicts('all'),
    )
    .option('--all', `print every ${item}`);
}

/** `1 to 25 of 1,204; --offset 25 shows more`. */
export function describeRange(offset: number, shown: number, total: number): string {
  return `${formatNumber(offset + 1)} to ${formatNumber(shown)} of ${formatNumber(total)}; --offset ${shown} shows more`;
}

/** Prints one page, or with `--all` every page. */
export async function listPages<Item extends object, P extends Page<Item>>(
  { output }: Context,
  { limit, offset, all }: PageOptions,
  columns: readonly Column<Item>[],
  list: (query: { limit?: number; offset?: number }) => PagedList<Item, P>,
): Promise<void> {
  if (all) return output.list(readPages(list({})), columns);
  const page = await list({
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
  });
  const { items, ...head } = page;
  await output.list(groupIntoPages(items, 100), columns, head);
  const shown = page.offset + items.length;
  if (output.format === 'table' && items.length > 0 && shown < page.total) {
    output.note(describeRange(page.offset, shown, page.total));
  }
}
