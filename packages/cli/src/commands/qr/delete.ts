import type { DefineCommand } from '../../command.js';
import { addDeleteOptions, type DeleteOptions, deleteItems, removeEach } from '../delete-items.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id...>', 'ids of the QR codes');
  addDeleteOptions(command).action((ids: string[], options: DeleteOptions) =>
    start(async (context) => {
      const { qr } = await context.client();
      const request = { signal: context.io.interrupt };
      const deleter = {
        noun: 'code',
        verb: 'Delete',
        find: (id: string) => qr.get(id, request),
        remove: (all: readonly string[]) => removeEach(all, (id) => qr.delete(id, request)),
      } as const;
      return deleteItems(context, ids, deleter, options);
    }),
  );
};
