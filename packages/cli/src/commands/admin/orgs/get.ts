import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id>', 'id of the organization').action((id: string) =>
    start(async (context) => {
      const client = await context.operator();
      const path = '/api/v1/admin/organizations/{id}';
      const request = { signal: context.io.interrupt };
      const organization = await client.request('GET', path, { params: { id } }, request);
      await context.output.record(organization);
      return exitCodes.done;
    }),
  );
};
