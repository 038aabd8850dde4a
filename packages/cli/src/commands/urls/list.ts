import type { UrlListItem } from '@shorty/sdk';
import { Option } from 'commander';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { inPages } from '../../in-pages.js';
import type { Column } from '../../output.js';
import { parseCount, parsePositive } from './link-options.js';

interface ListOptions {
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly search?: string;
  readonly tag?: string;
  readonly category?: string;
  readonly domainId?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly all?: boolean;
}

const columns: readonly Column<UrlListItem>[] = [
  { name: 'id', value: (item) => item.id },
  { name: 'shortUrl', value: (item) => item.shortUrl },
  { name: 'shortCode', value: (item) => item.shortCode },
  { name: 'customSlug', value: (item) => item.customSlug },
  { name: 'isActive', value: (item) => item.isActive },
  { name: 'targetUrl', value: (item) => item.targetUrl },
];

export const define: DefineCommand = (command, start) => {
  command
    .addOption(new Option('--active', 'only active links').conflicts('inactive'))
    .option('--inactive', 'only inactive links')
    .option('--search <text>', 'only links with this text in title, target, slug or code')
    .option('--tag <tag>', 'only links with this tag')
    .option('--category <text>', 'only links of this category')
    .option('--domain-id <uuid>', 'only links on this custom domain')
    .addOption(
      new Option('--limit <count>', 'how many to show (1 to 100, default 25)')
        .argParser(parsePositive)
        .conflicts('all'),
    )
    .addOption(
      new Option('--offset <count>', 'how many to pass over first')
        .argParser(parseCount)
        .conflicts('all'),
    )
    .option('--all', 'every link')
    .action((options: ListOptions) => start((context) => listUrls(context, options)));
};

async function listUrls(context: Context, options: ListOptions): Promise<ExitCode> {
  const { active, inactive, search, tag, category, domainId, limit, offset, all } = options;
  const { output, io } = context;
  const client = await context.client();
  const query = {
    ...(active || inactive ? { isActive: active === true } : {}),
    ...(search === undefined ? {} : { search }),
    ...(tag === undefined ? {} : { tag }),
    ...(category === undefined ? {} : { category }),
    ...(domainId === undefined ? {} : { domainId }),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
  };
  if (all) {
    await output.list(inPages(client.urls.list(query, { signal: io.interrupt }), 100), columns);
    return exitCodes.done;
  }
  const page = await client.urls.list(query, { signal: io.interrupt });
  const { items, ...head } = page;
  await output.list(inPages(items, 100), columns, head);
  const shown = page.offset + items.length;
  if (output.format === 'table' && items.length > 0 && shown < page.total) {
    output.note(`${page.offset + 1} to ${shown} of ${page.total}; --offset ${shown} shows more`);
  }
  return exitCodes.done;
}
