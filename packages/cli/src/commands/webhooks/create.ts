import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { addEventOptions, type EventOptions, readEvents } from './event-options.js';

interface CreateOptions extends EventOptions {
  readonly inactive?: boolean;
}

export const define: DefineCommand = (command, start) => {
  addEventOptions(command.argument('<url>', 'the receiver, http or https'))
    .option('--inactive', 'deliver nothing until it is turned on')
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
  if (events === undefined || events.length === 0) {
    throw new UsageError('say what to tell of: --event or --all-events', 'see --help');
  }
  const { io, output } = context;
  const client = await context.client();
  const body = { url, events, ...(options.inactive ? { isActive: false } : {}) };
  await output.record(await client.webhooks.create(body, { signal: io.interrupt }));
  output.note('the secret is shown only this once: keep it where the receiver finds it');
  return exitCodes.done;
}
