import type { UrlListItem, UrlRecord } from '@shorty/sdk';
import { Option } from 'commander';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import type { Column } from '../../output.js';
import { addPageOptions, listPages, type PageOptions } from '../page-options.js';
import { addUrlFilter, readUrlFilter, type UrlFilterOptions } from './url-filter.js';

type ListOptions = PageOptions & UrlFilterOptions;

// What people read. Other columns are in the formats for programs.
const tableColumns: readonly Column<UrlRecord>[] = [
  { name: 'id', value: (item) => item.id, isWhole: true },
  { name: 'shortUrl', value: (item) => item.shortUrl, isWhole: true },
  { name: 'title', value: (item) => item.title },
  { name: 'isActive', value: (item) => item.isActive },
  { name: 'clickCount', value: (item) => item.clickCount },
  { name: 'targetUrl', value: (item) => item.targetUrl },
];

const columns: readonly Column<UrlListItem>[] = [
  { name: 'id', value: (item) => item.id, isWhole: true },
  { name: 'shortUrl', value: (item) => item.shortUrl, isWhole: true },
  { name: 'shortCode', value: (item) => item.shortCode },
  { name: 'customSlug', value: (item) => item.customSlug },
  { name: 'isActive', value: (item) => item.isActive },
  { name: 'targetUrl', value: (item) => item.targetUrl },
];

export const define: DefineCommand = (command, start) => {
  addPageOptions(addUrlFilter(command), 'link')
    .addOption(
      new Option('--sort <field>', 'order of the links (default: createdAt)').choices([
        'createdAt',
        'clickCount',
        'lastClickAt',
        'title',
      ]),
    )
    .addOption(
      new Option('--order <direction>', 'default: asc for title, otherwise desc').choices([
        'asc',
        'desc',
      ]),
    )
    .action((options: ListOptions) => start((context) => listUrls(context, options)));
};

async function listUrls(context: Context, options: ListOptions): Promise<ExitCode> {
  const { limit, offset, all, ...filterOptions } = options;
  const filter = readUrlFilter(filterOptions, context.io.now());
  const pages = { limit, offset, all };
  const client = await context.client();
  const request = { signal: context.io.interrupt };
  const { format, fields } = context.output;
  if (format === 'table' || fields) {
    await listPages(context, pages, tableColumns, (page) =>
      client.urls.list({ ...filter, ...page, view: 'full' }, request),
    );
  } else {
    await listPages(context, pages, columns, (page) =>
      client.urls.list({ ...filter, ...page }, request),
    );
  }
  return exitCodes.done;
}
