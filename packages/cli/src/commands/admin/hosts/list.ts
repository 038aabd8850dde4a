import type { BlockedHost } from '@shorty/sdk';
import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';
import type { Column } from '../../../output.js';
import { addPageOptions, type PageOptions } from '../../page-options.js';
import { listPages } from '../list-pages.js';

const columns: readonly Column<BlockedHost>[] = [
  { name: 'host', value: (blocked) => blocked.host, isWhole: true },
  { name: 'reason', value: (blocked) => blocked.reason },
  { name: 'createdAt', value: (blocked) => blocked.createdAt },
];

export const define: DefineCommand = (command, start) => {
  addPageOptions(command, 'host').action((options: PageOptions) =>
    start(async (context) => {
      const client = await context.operator();
      const request = { signal: context.io.interrupt };
      const path = '/api/v1/admin/blocked-hosts';
      await listPages(context, options, columns, (query) =>
        client.request('GET', path, { query }, request),
      );
      return exitCodes.done;
    }),
  );
};
