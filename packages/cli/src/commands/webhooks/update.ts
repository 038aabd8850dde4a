import type { WebhookUpdateRequest } from '@shorty/sdk';
import { Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { ifMatchOption, withEtag } from '../../etag.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { addEventOptions, type EventOptions, readEvents } from './event-options.js';

interface UpdateOptions extends EventOptions {
  readonly url?: string;
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly ifMatch?: string;
}

export const define: DefineCommand = (command, start) => {
  addEventOptions(command.argument('<id>', 'id of the webhook'))
    .option('--url <url>', 'new URL of the receiver')
    .addOption(new Option('--active', 'resume deliveries, oldest first').conflicts('inactive'))
    .option('--inactive', 'pause deliveries')
    .addOption(ifMatchOption())
    .action((id: string, options: UpdateOptions) =>
      start((context) => updateWebhook(context, id, options)),
    );
};

async function updateWebhook(
  context: Context,
  id: string,
  options: UpdateOptions,
): Promise<ExitCode> {
  const { url, active, inactive, ifMatch } = options;
  const events = readEvents(options);
  const patch: WebhookUpdateRequest = {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events }),
    ...(active || inactive ? { isActive: active === true } : {}),
  };
  if (Object.keys(patch).length === 0) {
    throw new UsageError('nothing to change', 'set at least one option; see --help');
  }
  const client = await context.client();
  const call = client.webhooks.update(id, patch, { signal: context.io.interrupt, ifMatch });
  await context.output.record(withEtag(await call.withResponse()));
  return exitCodes.done;
}
