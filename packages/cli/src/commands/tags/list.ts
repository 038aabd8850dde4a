import type { Tag, TagListQuery } from '@shorty/sdk';
import { Option } from 'commander';
import type { DefineCommand } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import type { Column } from '../../output.js';
import { addPageOptions, listPages, type PageOptions } from '../page-options.js';

type ListOptions = PageOptions & Pick<TagListQuery, 'search' | 'sort' | 'order'>;

const columns: readonly Column<Tag>[] = [
  { name: 'name', value: (tag) => tag.name },
  { name: 'linkCount', value: (tag) => tag.linkCount },
];

export const define: DefineCommand = (command, start) => {
  command
    .option('--search <text>', 'only tags that contain this text, in any case')
    .addOption(
      new Option('--sort <field>', 'order of the tags (default: name)').choices([
        'name',
        'linkCount',
      ]),
    )
    .addOption(
      new Option(
        '--order <direction>',
        'asc or desc (default: asc for name, desc for linkCount)',
      ).choices(['asc', 'desc']),
    );
  addPageOptions(command, 'tag').action(({ search, sort, order, ...pages }: ListOptions) =>
    start(async (context) => {
      const { tags } = await context.client();
      const filter = {
        ...(search !== undefined && { search }),
        ...(sort !== undefined && { sort }),
        ...(order !== undefined && { order }),
      };
      await listPages(context, pages, columns, (page) =>
        tags.list({ ...filter, ...page }, { signal: context.io.interrupt }),
      );
      return exitCodes.done;
    }),
  );
};
