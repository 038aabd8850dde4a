import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the webhook')
    .argument('<delivery-id>', 'id of the delivery to repeat')
    .action((id: string, deliveryId: string) =>
      start((context) => replay(context, id, deliveryId)),
    );
};

async function replay(context: Context, id: string, deliveryId: string): Promise<ExitCode> {
  const client = await context.client();
  const signal = context.io.interrupt;
  await context.output.record(await client.webhooks.replay(id, deliveryId, { signal }));
  return exitCodes.done;
}
