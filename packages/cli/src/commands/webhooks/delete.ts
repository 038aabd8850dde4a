import type { DefineCommand } from '../../command.js';
import {
  addVersionedDeleteOptions,
  checkVersion,
  deleteItems,
  removeEach,
  type VersionedDeleteOptions,
} from '../delete-items.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id...>', 'ids of the webhooks');
  addVersionedDeleteOptions(command).action((ids: string[], options: VersionedDeleteOptions) =>
    start(async (context) => {
      checkVersion(ids, options);
      const { webhooks } = await context.client();
      const request = { signal: context.io.interrupt };
      const deleter = {
        noun: 'webhook',
        verb: 'Delete',
        find: (id: string) => webhooks.get(id, request),
        remove: (all: readonly string[]) =>
          removeEach(all, (id) => webhooks.delete(id, { ...request, ifMatch: options.ifMatch })),
      } as const;
      return deleteItems(context, ids, deleter, options);
    }),
  );
};
