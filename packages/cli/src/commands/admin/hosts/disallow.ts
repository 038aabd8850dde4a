import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<host>', 'the allowed host').action((host: string) =>
    start(async (context) => {
      const client = await context.operator();
      const request = { signal: context.io.interrupt };
      const path = '/api/v1/admin/allowed-hosts/{host}';
      await context.output.record(
        await client.request('DELETE', path, { params: { host } }, request),
      );
      return exitCodes.done;
    }),
  );
};
