import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

interface CreateOptions {
  readonly reason: string;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<short-url>', 'short URL of the link, of any organization')
    .requiredOption('--reason <text>', 'why; the owner of the link sees it')
    .action((shortUrl: string, { reason }: CreateOptions) =>
      start(async (context) => {
        const client = await context.operator();
        const body = { shortUrl, reason };
        const request = { signal: context.io.interrupt };
        const path = '/api/v1/admin/takedowns';
        await context.output.record(await client.request('POST', path, { body }, request));
        return exitCodes.done;
      }),
    );
};
