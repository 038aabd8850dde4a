import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the webhook')
    .action((id: string) => start((context) => rotateSecret(context, id)));
};

async function rotateSecret(context: Context, id: string): Promise<ExitCode> {
  const { io, output } = context;
  const client = await context.client();
  await output.record(await client.webhooks.rotateSecret(id, { signal: io.interrupt }));
  output.note(
    'store the secret now, it is shown only once; the previous secret stays valid for 24 hours',
  );
  return exitCodes.done;
}
