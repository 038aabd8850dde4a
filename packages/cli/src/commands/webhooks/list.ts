import type { Webhook } from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import type { Column } from '../../output.js';
import { addPageOptions, listPages, type PageOptions } from '../page-options.js';

const columns: readonly Column<Webhook>[] = [
  { name: 'id', value: (webhook) => webhook.id, isWhole: true },
  { name: 'isActive', value: (webhook) => webhook.isActive },
  { name: 'disabledReason', value: (webhook) => webhook.disabledReason },
  { name: 'failureRate', value: (webhook) => webhook.failureRate },
  { name: 'url', value: (webhook) => webhook.url },
  { name: 'events', value: (webhook) => webhook.events },
  { name: 'description', value: (webhook) => webhook.description },
  { name: 'filters', value: (webhook) => webhook.filters },
  { name: 'headerNames', value: (webhook) => webhook.headerNames },
];

export const define: DefineCommand = (command, start) => {
  addPageOptions(command, 'webhook').action((options: PageOptions) =>
    start(async (context) => {
      const client = await context.client();
      await listPages(context, options, columns, (page) =>
        client.webhooks.list(page, { signal: context.io.interrupt }),
      );
      return exitCodes.done;
    }),
  );
};
