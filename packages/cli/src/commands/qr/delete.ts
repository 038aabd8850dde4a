import type { DefineCommand } from '../../command.js';
import { deleteEach } from '../delete-each.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id...>', 'ids of the QR codes').action((ids: string[]) =>
    start(async (context) => {
      const client = await context.client();
      return deleteEach(context, { noun: 'code', ids }, (id) =>
        client.qr.delete(id, { signal: context.io.interrupt }),
      );
    }),
  );
};
