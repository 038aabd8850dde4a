import type { DefineCommand } from '../../command.js';
import {
  addVersionedDeleteOptions,
  checkVersion,
  deleteItems,
  removeEach,
  type VersionedDeleteOptions,
} from '../delete-items.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id...>', 'ids of the QR codes');
  addVersionedDeleteOptions(command).action((ids: string[], options: VersionedDeleteOptions) =>
    start(async (context) => {
      checkVersion(ids, options);
      const { qr } = await context.client();
      const request = { signal: context.io.interrupt };
      const deleter = {
        noun: 'code',
        verb: 'Delete',
        find: (id: string) => qr.get(id, request),
        remove: (all: readonly string[]) =>
          removeEach(all, (id) => qr.delete(id, { ...request, ifMatch: options.ifMatch })),
      } as const;
      return deleteItems(context, ids, deleter, options);
    }),
  );
};
