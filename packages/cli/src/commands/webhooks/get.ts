import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { withEtag } from '../../etag.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the webhook')
    .action((id: string) => start((context) => getWebhook(context, id)));
};

async function getWebhook(context: Context, id: string): Promise<ExitCode> {
  const client = await context.client();
  const call = client.webhooks.get(id, { signal: context.io.interrupt });
  await context.output.record(withEtag(await call.withResponse()));
  return exitCodes.done;
}
