import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { parseCount } from '../urls/link-options.js';

interface RotateOptions {
  readonly expireOldAfter?: number;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the webhook')
    .option(
      '--expire-old-after <seconds>',
      'end all old secrets within this time; 0: now (default: the replaced one signs for 24 hours)',
      parseCount,
    )
    .action((id: string, options: RotateOptions) =>
      start((context) => rotateSecret(context, id, options)),
    );
};

async function rotateSecret(
  context: Context,
  id: string,
  { expireOldAfter: expireOldAfterSeconds }: RotateOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const client = await context.client();
  const body = expireOldAfterSeconds === undefined ? undefined : { expireOldAfterSeconds };
  const rotated = await client.webhooks.rotateSecret(id, body, { signal: io.interrupt });
  await output.record(rotated);
  const old =
    expireOldAfterSeconds === 0
      ? 'no old secret signs any more'
      : `the previous secret also signs until ${rotated.previousSecretExpiresAt}`;
  output.note(`store the secret now, it is shown only once; ${old}`);
  return exitCodes.done;
}
