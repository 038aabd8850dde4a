import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { writeDomain } from './write-domain.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the domain')
    .action((id: string) => start((context) => getDomain(context, id)));
};

async function getDomain(context: Context, id: string): Promise<ExitCode> {
  const client = await context.client();
  await writeDomain(context, await client.domains.get(id, { signal: context.io.interrupt }));
  return exitCodes.done;
}
