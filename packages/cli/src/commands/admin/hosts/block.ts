import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<host>', 'host name, with its subdomains, or IP address')
    .requiredOption('--reason <text>', 'why, for other operators')
    .action((host: string, { reason }: { readonly reason: string }) =>
      start(async (context) => {
        const client = await context.operator();
        const call = { body: { host, reason } };
        const request = { signal: context.io.interrupt };
        const path = '/api/v1/admin/blocked-hosts';
        await context.output.record(await client.request('POST', path, call, request));
        return exitCodes.done;
      }),
    );
};
