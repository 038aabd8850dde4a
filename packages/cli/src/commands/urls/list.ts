import type { UrlListItem } from '@shorty/sdk';
import { Option } from 'commander';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import type { Column } from '../../output.js';
import { addPageOptions, listPages, type PageOptions } from '../page-options.js';

interface ListOptions extends PageOptions {
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly search?: string;
  readonly tag?: string;
  readonly category?: string;
  readonly domainId?: string;
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
    .option('--search <text>', 'only links with this text in title, target URL, slug or short code')
    .option('--tag <tag>', 'only links with this tag')
    .option('--category <text>', 'only links in this category')
    .option('--domain-id <uuid>', 'only links on this custom domain');
  addPageOptions(command, 'link').action((options: ListOptions) =>
    start((context) => listUrls(context, options)),
  );
};

async function listUrls(context: Context, options: ListOptions): Promise<ExitCode> {
  const { active, inactive, search, tag, category, domainId, ...pages } = options;
  const client = await context.client();
  const filter = {
    ...(active || inactive ? { isActive: active === true } : {}),
    ...(search === undefined ? {} : { search }),
    ...(tag === undefined ? {} : { tag }),
    ...(category === undefined ? {} : { category }),
    ...(domainId === undefined ? {} : { domainId }),
  };
  await listPages(context, pages, columns, (page) =>
    client.urls.list({ ...filter, ...page }, { signal: context.io.interrupt }),
  );
  return exitCodes.done;
}
