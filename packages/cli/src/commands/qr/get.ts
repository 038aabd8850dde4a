import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { withEtag } from '../../etag.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the QR code')
    .action((id: string) => start((context) => getQr(context, id)));
};

async function getQr(context: Context, id: string): Promise<ExitCode> {
  const client = await context.client();
  const call = client.qr.get(id, { signal: context.io.interrupt });
  await context.output.record(withEtag(await call.withResponse()));
  return exitCodes.done;
}
