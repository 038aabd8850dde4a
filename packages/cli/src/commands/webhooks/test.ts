import { Option } from 'commander';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { eventTypes } from '../../webhooks/event-types.js';
import { checkEventType } from './event-options.js';

interface TestOptions {
  readonly type?: string;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the webhook')
    .addOption(
      new Option('--type <type>', 'event type (default: the first type of the webhook)').choices(
        eventTypes,
      ),
    )
    .action((id: string, options: TestOptions) =>
      start((context) => testWebhook(context, id, options)),
    );
};

async function testWebhook(context: Context, id: string, { type }: TestOptions): Promise<ExitCode> {
  const { io, output } = context;
  const client = await context.client();
  const body = type === undefined ? {} : { type: checkEventType(type, '--type') };
  await output.record(await client.webhooks.test(id, body, { signal: io.interrupt }));
  return exitCodes.done;
}
