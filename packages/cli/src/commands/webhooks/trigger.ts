import { UsageError } from '../../cli-error.js';
import { collect, type DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { eventTypes } from '../../webhooks/event-types.js';
import { checkEventType } from './event-options.js';

interface TriggerOptions {
  readonly set?: readonly string[];
  readonly webhook?: string;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<event>', 'event type')
    .option(
      '--set <path=value>',
      'another value for a field of the event data; repeatable',
      collect,
    )
    .option('--webhook <id>', 'id of the webhook (default: the running webhooks listen)')
    .addHelpText('after', help)
    .action((type: string, options: TriggerOptions) =>
      start((context) => trigger(context, type, options)),
    );
};

const help = `
Sends the example of the event type, with "test": true, to one webhook only,
signed as every delivery. A path leads into data: title, tags, or
visits[0].country. A value that is JSON is sent as such, and any other as text.
shorty webhooks event-types <event> shows the fields.

Event types:
${eventTypes.map((type) => `  ${type}`).join('\n')}`;

async function trigger(
  context: Context,
  event: string,
  { set = [], webhook }: TriggerOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const type = checkEventType(event, 'event');
  const changes = Object.fromEntries(set.map(parseChange));
  const client = await context.client();
  const request = { signal: io.interrupt };
  const id = webhook ?? (await findListening(context));
  const body = set.length > 0 ? { type, set: changes } : { type };
  await output.record(await client.webhooks.test(id, body, request));
  return exitCodes.done;
}

/** Returns the id of the only temporary webhook. */
async function findListening(context: Context): Promise<string> {
  const client = await context.client();
  const found: string[] = [];
  for await (const { id, expiresAt } of client.webhooks.list(
    { limit: 100 },
    { signal: context.io.interrupt },
  )) {
    if (expiresAt !== null) found.push(id);
  }
  const [only, ...others] = found;
  if (only === undefined) {
    throw new UsageError(
      'no webhooks listen is running',
      'start shorty webhooks listen, or name a webhook with --webhook',
    );
  }
  if (others.length === 0) return only;
  throw new UsageError(
    `${found.length} webhooks listen are running`,
    `name one with --webhook: ${found.join(', ')}`,
  );
}

/** Parses `path=value`. */
function parseChange(text: string): [string, unknown] {
  const sign = text.indexOf('=');
  if (sign < 1) throw new UsageError(`--set ${text}: must have the form path=value`);
  const value = text.slice(sign + 1);
  try {
    return [text.slice(0, sign), JSON.parse(value)];
  } catch {
    // Not JSON, so it is text.
    return [text.slice(0, sign), value];
  }
}
