import { randomUUID } from 'node:crypto';
import { exitCodes } from '../cli-error.js';
import type { CommandRow } from '../command.js';
import { eventTypeFinder, eventTypesHelp } from './event-types.js';
import { forwardEvent, hasFailed } from './forward-event.js';
import { readTarget } from './listen.js';
import { openListenState } from './listen-state.js';

export const trigger: CommandRow = {
  summary: 'Send an example event to a receiver on this machine',
  examples: ['shorty webhooks trigger url.created --forward-to http://localhost:3000/hooks'],
  args: { '<event>': 'event type' },
  options: {
    '--forward-to <url>': { text: 'post the event to this URL, signed', isRequired: true },
  },
  help: `Posts the example of the event type, with "test": true, signed with the secret
of webhooks listen, or with SHORTY_WEBHOOK_SECRET. webhooks test sends it
through a webhook instead.

${eventTypesHelp}`,
  prints: ['type', 'deliveryId', 'forwardedStatus', 'forwardError', 'durationMs'],
  run: async (
    context,
    { event, forwardTo }: { readonly event: string; readonly forwardTo: string },
  ) => {
    const { io, output } = context;
    const target = await readTarget(forwardTo, context);
    const { type, example } = (await eventTypeFinder(context))(event);
    const createdAt = new Date(io.now()).toISOString();
    const test = { ...example, id: randomUUID(), type, createdAt, test: true };
    const ownSecret = io.env.SHORTY_WEBHOOK_SECRET;
    const secret = ownSecret || (await openListenState(context)).get('secret');
    const forwarded = await forwardEvent(test, target, secret, io);
    const { deliveryId, forwardedStatus, forwardError, durationMs } = forwarded;
    await output.record({ type, deliveryId, forwardedStatus, forwardError, durationMs });
    if (forwardedStatus === 401) {
      output.warn(
        ownSecret
          ? 'the event was signed with SHORTY_WEBHOOK_SECRET; your receiver needs the same secret'
          : `the event was signed with ${secret}, the secret of webhooks listen; give it to your receiver, or set SHORTY_WEBHOOK_SECRET to the secret of your receiver`,
      );
    }
    return hasFailed(forwarded) ? exitCodes.failed : exitCodes.done;
  },
};
