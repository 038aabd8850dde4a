import type { DefineCommand } from '../../command.js';
import { addDeleteOptions, type DeleteOptions, deleteItems, removeEach } from '../delete-items.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id...>', 'ids of the webhooks');
  addDeleteOptions(command).action((ids: string[], options: DeleteOptions) =>
    start(async (context) => {
      const { webhooks } = await context.client();
      const request = { signal: context.io.interrupt };
      const deleter = {
        noun: 'webhook',
        verb: 'Delete',
        find: (id: string) => webhooks.get(id, request),
        remove: (all: readonly string[]) => removeEach(all, (id) => webhooks.delete(id, request)),
      } as const;
      return deleteItems(context, ids, deleter, options);
    }),
  );
};
