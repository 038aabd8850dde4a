import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<host>', 'the blocked host').action((host: string) =>
    start(async (context) => {
      const client = await context.operator();
      const request = { signal: context.io.interrupt };
      const path = '/api/v1/admin/blocked-hosts/{host}';
      const unblocked = await client.request('DELETE', path, { params: { host } }, request);
      await context.output.record(unblocked);
      return exitCodes.done;
    }),
  );
};
