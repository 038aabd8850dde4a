import type { DefineCommand } from '../../command.js';
import { deleteEach } from '../delete-each.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id...>', 'ids of the webhooks').action((ids: string[]) =>
    start(async (context) => {
      const client = await context.client();
      return deleteEach(context, { noun: 'webhook', ids }, (id) =>
        client.webhooks.delete(id, { signal: context.io.interrupt }),
      );
    }),
  );
};
