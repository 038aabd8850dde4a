import { randomUUID } from 'node:crypto';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { hasFailed } from '../../webhooks/describe-forward.js';
import { eventTypes } from '../../webhooks/event-types.js';
import { forwardEvent } from '../../webhooks/forward-event.js';
import { ListenState } from '../../webhooks/listen-state.js';
import { readSigningSecret } from '../../webhooks/read-signing-secret.js';
import { checkEventType } from './event-options.js';
import { readTarget } from './listen.js';

interface TriggerOptions {
  readonly forwardTo: string;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<event>', 'event type')
    .requiredOption('--forward-to <url>', 'post the event to this URL, signed')
    .addHelpText('after', help)
    .action((type: string, options: TriggerOptions) =>
      start((context) => trigger(context, type, options)),
    );
};

const help = `
Posts the example of the event type, with "test": true, signed with the secret
of webhooks listen, or with SHORTY_WEBHOOK_SECRET. webhooks test sends it
through a webhook instead.

Event types:
${eventTypes.map((type) => `  ${type}`).join('\n')}`;

async function trigger(
  context: Context,
  event: string,
  { forwardTo }: TriggerOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const type = checkEventType(event, 'event');
  const target = await readTarget(forwardTo, context);
  const client = await context.client();
  const { items } = await client.webhooks.eventTypes({ signal: io.interrupt });
  const example = items.find((each) => each.type === type)?.example;
  const createdAt = new Date(io.now()).toISOString();
  const test = { ...example, id: randomUUID(), type, createdAt, test: true };
  const secret =
    (await readSigningSecret(context, false)) ?? (await ListenState.open(context)).secret;
  const sending = { target, secret, now: io.now, signal: io.interrupt };
  const received = await forwardEvent(test, sending);
  const { deliveryId, forwardedStatus, forwardError, durationMs } = received;
  await output.record({ type, deliveryId, forwardedStatus, forwardError, durationMs });
  return hasFailed(received) ? exitCodes.failed : exitCodes.done;
}
