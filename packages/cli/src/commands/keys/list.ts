import type { ApiKey } from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import type { Column } from '../../output.js';
import { addPageOptions, listPages, type PageOptions } from '../page-options.js';

const columns: readonly Column<ApiKey>[] = [
  { name: 'id', value: (key) => key.id, isWhole: true },
  { name: 'name', value: (key) => key.name },
  { name: 'start', value: (key) => key.start, isWhole: true },
  { name: 'scopes', value: (key) => key.scopes },
  { name: 'lastUsedAt', value: (key) => key.lastUsedAt },
  { name: 'expiresAt', value: (key) => key.expiresAt },
];

export const define: DefineCommand = (command, start) => {
  addPageOptions(command, 'key').action((options: PageOptions) =>
    start(async (context) => {
      const { apiKeys } = await context.client();
      await listPages(context, options, columns, (page) =>
        apiKeys.list(page, { signal: context.io.interrupt }),
      );
      return exitCodes.done;
    }),
  );
};
