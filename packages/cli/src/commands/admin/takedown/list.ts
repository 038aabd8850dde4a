import type { Takedown } from '@shorty/sdk';
import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';
import type { Column } from '../../../output.js';
import { addPageOptions, type PageOptions } from '../../page-options.js';
import { listPages } from '../list-pages.js';

const columns: readonly Column<Takedown>[] = [
  { name: 'id', value: (takedown) => takedown.id, isWhole: true },
  { name: 'shortUrl', value: (takedown) => takedown.shortUrl, isWhole: true },
  { name: 'reason', value: (takedown) => takedown.reason },
  { name: 'createdAt', value: (takedown) => takedown.createdAt },
  { name: 'organizationId', value: (takedown) => takedown.organizationId },
  { name: 'targetUrl', value: (takedown) => takedown.targetUrl },
];

export const define: DefineCommand = (command, start) => {
  addPageOptions(command, 'takedown').action((options: PageOptions) =>
    start(async (context) => {
      const client = await context.operator();
      const request = { signal: context.io.interrupt };
      await listPages(context, options, columns, (query) =>
        client.request('GET', '/api/v1/admin/takedowns', { query }, request),
      );
      return exitCodes.done;
    }),
  );
};
