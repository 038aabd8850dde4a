import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { offerScheme } from '../../scheme.js';
import { addEventOptions, type EventOptions, readEvents } from './event-options.js';
import { addWebhookOptions, readWebhookOptions, type WebhookOptions } from './webhook-options.js';

interface CreateOptions extends EventOptions, WebhookOptions {
  readonly inactive?: boolean;
}

export const define: DefineCommand = (command, start) => {
  addEventOptions(command.argument('<url>', 'http or https URL of the receiver'));
  addWebhookOptions(command)
    .option('--inactive', 'create it paused')
    .action((url: string, options: CreateOptions) =>
      start((context) => createWebhook(context, url, options)),
    );
};

async function createWebhook(
  context: Context,
  url: string,
  options: CreateOptions,
): Promise<ExitCode> {
  const events = readEvents(options);
  if (events === undefined) {
    throw new UsageError('--event or --all-events is required', 'see --help');
  }
  const { io, output } = context;
  const address = await offerScheme(url, 'url', context);
  const client = await context.client();
  const settings = await readWebhookOptions(options, context);
  const body = {
    url: address,
    events,
    ...settings,
    ...(options.inactive ? { isActive: false } : {}),
  };
  await output.record(await client.webhooks.create(body, { signal: io.interrupt }));
  output.note(
    'store the secret now, it is shown only once; the receiver needs it to verify deliveries',
  );
  return exitCodes.done;
}
