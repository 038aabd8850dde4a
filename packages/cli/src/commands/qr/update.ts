import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { ifMatchOption, withEtag } from '../../etag.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { addDesignOptions, type DesignOptions, readDesignOptions } from './qr-options.js';

interface UpdateOptions extends DesignOptions {
  /** False for `--no-logo`. */
  readonly logo?: boolean;
  readonly ifMatch?: string;
}

export const define: DefineCommand = (command, start) => {
  command.argument('<id>', 'id of the QR code');
  addDesignOptions(command)
    .option('--no-logo', 'remove the logo')
    .addOption(ifMatchOption())
    .addHelpText('after', help)
    .action((id: string, options: UpdateOptions) =>
      start((context) => updateQr(context, id, options)),
    );
};

const help = `
What a code carries never changes. To lead it elsewhere, change its link.`;

async function updateQr(context: Context, id: string, options: UpdateOptions): Promise<ExitCode> {
  const { logo, ifMatch, ...design } = options;
  const patch = readDesignOptions(design);
  if (logo === false && patch.logoUrl !== undefined) {
    throw new UsageError('--no-logo and --logo-url cannot be used together');
  }
  if (logo === false) patch.logoUrl = null;
  if (Object.keys(patch).length === 0) {
    throw new UsageError('nothing to change', 'set at least one option; see --help');
  }
  const client = await context.client();
  const call = client.qr.update(id, patch, { signal: context.io.interrupt, ifMatch });
  await context.output.record(withEtag(await call.withResponse()));
  return exitCodes.done;
}
