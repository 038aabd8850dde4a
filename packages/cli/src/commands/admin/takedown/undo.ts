import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id>', 'id of the link').action((id: string) =>
    start(async (context) => {
      const client = await context.operator();
      const request = { signal: context.io.interrupt };
      const path = '/api/v1/admin/takedowns/{id}';
      const takedown = await client.request('DELETE', path, { params: { id } }, request);
      await context.output.record(takedown);
      return exitCodes.done;
    }),
  );
};
