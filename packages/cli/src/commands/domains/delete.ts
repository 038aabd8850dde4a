import type { DefineCommand } from '../../command.js';
import { addDeleteOptions, type DeleteOptions, deleteItems, removeEach } from '../delete-items.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id...>', 'ids of the domains');
  addDeleteOptions(command).action((ids: string[], options: DeleteOptions) =>
    start(async (context) => {
      const { domains } = await context.client();
      const request = { signal: context.io.interrupt };
      const deleter = {
        noun: 'domain',
        verb: 'Delete',
        find: (id: string) => domains.get(id, request),
        remove: (all: readonly string[]) => removeEach(all, (id) => domains.delete(id, request)),
      } as const;
      return deleteItems(context, ids, deleter, options);
    }),
  );
};
