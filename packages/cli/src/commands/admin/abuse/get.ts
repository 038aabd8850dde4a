import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id>', 'id of the report').action((id: string) =>
    start(async (context) => {
      const client = await context.operator();
      const request = { signal: context.io.interrupt };
      const path = '/api/v1/admin/abuse-reports/{id}';
      await context.output.record(await client.request('GET', path, { params: { id } }, request));
      return exitCodes.done;
    }),
  );
};
