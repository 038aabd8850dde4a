import type { UrlListItem } from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import type { Column } from '../../output.js';
import { addPageOptions, listPages, type PageOptions } from '../page-options.js';
import { addUrlFilter, readUrlFilter, type UrlFilterOptions } from './url-filter.js';

type ListOptions = PageOptions & UrlFilterOptions;

const columns: readonly Column<UrlListItem>[] = [
  { name: 'id', value: (item) => item.id, isWhole: true },
  { name: 'shortUrl', value: (item) => item.shortUrl, isWhole: true },
  { name: 'shortCode', value: (item) => item.shortCode },
  { name: 'customSlug', value: (item) => item.customSlug },
  { name: 'isActive', value: (item) => item.isActive },
  { name: 'targetUrl', value: (item) => item.targetUrl },
];

export const define: DefineCommand = (command, start) => {
  addPageOptions(addUrlFilter(command), 'link').action((options: ListOptions) =>
    start((context) => listUrls(context, options)),
  );
};

async function listUrls(context: Context, options: ListOptions): Promise<ExitCode> {
  const { limit, offset, all, ...filterOptions } = options;
  const filter = readUrlFilter(filterOptions);
  const pages = { limit, offset, all };
  const client = await context.client();
  await listPages(context, pages, columns, (page) =>
    client.urls.list({ ...filter, ...page }, { signal: context.io.interrupt }),
  );
  return exitCodes.done;
}
