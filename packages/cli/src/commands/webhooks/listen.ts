import { once } from 'node:events';
import { parseUrl } from '@shorty/import';
import { formatJson } from '@shorty/report';
import { Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import { collect, type DefineCommand, formatOption } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { isRichTerminal, terminalColumns } from '../../io.js';
import { resolveFormat } from '../../output.js';
import { offerScheme } from '../../scheme.js';
import { describeForward, hasFailed } from '../../webhooks/describe-forward.js';
import { followEvents } from '../../webhooks/follow-events.js';
import { forwardEvent } from '../../webhooks/forward-event.js';
import { ListenState } from '../../webhooks/listen-state.js';
import { openListener } from '../../webhooks/listener.js';
import { readSigningSecret, secretHelp } from '../../webhooks/read-signing-secret.js';
import { describeReceived, type Received } from '../../webhooks/received.js';
import { parseCount } from '../urls/link-options.js';
import { readEvents } from './event-options.js';

interface ListenOptions {
  readonly forwardTo?: string;
  readonly event?: readonly string[];
  readonly events?: readonly string[];
  readonly latest?: boolean;
  readonly printJson?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly secretStdin?: boolean;
}

export const define: DefineCommand = (command, start) => {
  command
    .option('--forward-to <url>', 'post each event to this URL, signed')
    .addOption(
      new Option(
        '--events <types>',
        'event types, separated by commas (default: *, all but url.clicked)',
      ).argParser(collect),
    )
    .addOption(new Option('--event <type>', 'same as --events').argParser(collect).hideHelp())
    .option('--latest', 'begin with the next event, not where the last listen ended')
    .option('--print-json', 'print each event as JSON, as --output ndjson does')
    .addOption(
      new Option(
        '--port <number>',
        'receive on a local port instead, for a webhook that you have created; 0 selects a free port',
      ).argParser(parsePort),
    )
    .option('--host <address>', 'with --port: address to listen on (default: 127.0.0.1)')
    .option('--secret-stdin', 'with --port: read the secret from stdin (prompts on a terminal)')
    .addOption(
      formatOption(
        ['table', 'ndjson'],
        'output format (default: table on a terminal, otherwise ndjson)',
      ),
    )
    .addHelpText('after', help)
    .action((options: ListenOptions) =>
      start((context) => listen(context, options), { ownsOutput: true }),
    );
};

const help = `
Reads the events of the organization from the server, so your machine needs no
public address. Signs each event, posts it to --forward-to, and prints the
response. An event that your receiver refuses is not sent again. It prints the
signing secret for your receiver, which stays the same; SHORTY_WEBHOOK_SECRET
sets another one. It stores its position for each profile: the next listen
continues there, with the events of up to 30 days.

With --port:
${secretHelp}
With a secret, a delivery with an invalid signature gets status 401 and is not
forwarded. Without a secret, deliveries are marked UNVERIFIED and forwarded.
When the receiver does not respond, the delivery gets status 502, and the
server retries it.`;

async function listen(context: Context, options: ListenOptions): Promise<ExitCode> {
  const { io, output } = context;
  const json = options.printJson ? { ...context.flags, output: 'ndjson' } : context.flags;
  const isWatched = io.stdout.isTTY === true;
  const format = resolveFormat(json, isWatched ? ['table', 'ndjson'] : ['ndjson', 'table']);
  const hasColor = output.allowsColor && isRichTerminal(io.stdout, io.env);
  const target = await readTarget(options.forwardTo, context);
  const view: View = { isTable: format === 'table', hasColor, target };
  if (options.port !== undefined) {
    for (const name of ['event', 'events', 'latest'] as const) {
      if (options[name] === undefined) continue;
      throw new UsageError(`--${name} does not apply with --port`);
    }
    return receive(context, options, options.port, view);
  }
  if (options.host !== undefined || options.secretStdin) {
    throw new UsageError(`${options.secretStdin ? '--secret-stdin' : '--host'} needs --port`);
  }
  return follow(context, options, view);
}

interface View {
  readonly isTable: boolean;
  readonly hasColor: boolean;
  readonly target: URL | undefined;
}

/** Follows the events of the server. */
async function follow(
  context: Context,
  options: ListenOptions,
  { isTable, hasColor, target }: View,
): Promise<ExitCode> {
  const { io, output } = context;
  const selected = [...(options.events ?? []), ...(options.event ?? [])];
  const types = readEvents({ event: selected.length > 0 ? selected : ['*'] }, '--events');
  if (!types) throw new UsageError('--events: names no event type');
  const client = await context.client();
  const state = await ListenState.open(context);
  const ownSecret = await readSigningSecret(context, false);
  const secret = ownSecret ?? state.secret;
  if (state.after === undefined || options.latest) {
    const { nextAfter } = await client.events.list({ after: 'latest' }, { signal: io.interrupt });
    await state.store({ after: nextAfter });
  }
  output.note(`signing secret: ${ownSecret ? 'SHORTY_WEBHOOK_SECRET' : secret}`);
  const forwarding = target ? `, forwarded to ${target.href}` : '';
  output.note(`waiting for events: ${types.join(', ')}${forwarding}; Ctrl-C stops`);
  let { after = '', lastId } = state;
  try {
    for await (const { items, nextAfter } of followEvents(context, client, after)) {
      // Events up to this one were handled before a restart.
      const handled = items.findIndex(({ id }) => id === lastId);
      for (const event of items.slice(handled + 1)) {
        if (!wantsType(types, event.type)) continue;
        const sending = { target, secret, now: io.now, signal: io.interrupt };
        const received = await forwardEvent(event, sending);
        // Before the output, so that no event is sent twice.
        await state.store({ after, lastId: event.id });
        await output.write(
          isTable
            ? `${describeForward(received, terminalColumns(io.stdout), hasColor)}\n`
            : `${formatJson(received)}\n`,
        );
        if (hasFailed(received)) output.warn(explain(received));
      }
      if (nextAfter !== after) await state.store({ after: nextAfter });
      after = nextAfter;
      lastId = undefined;
    }
  } catch (error) {
    // The interruption has aborted a request.
    if (!io.interrupt.aborted) throw error;
  }
  return io.interrupt.aborted ? exitCodes.interrupted : exitCodes.done;
}

function wantsType(types: readonly string[], type: string): boolean {
  return types.includes(type) || (types.includes('*') && type !== 'url.clicked');
}

/** Says why an event failed. */
function explain({ forwardError, forwardedStatus }: Received): string {
  return `  ${forwardError ?? `your receiver answered ${forwardedStatus}`}`;
}

/** Receives deliveries on a local port. */
async function receive(
  context: Context,
  options: ListenOptions,
  port: number,
  { isTable, hasColor, target }: View,
): Promise<ExitCode> {
  const { io, output } = context;
  const secret = await readSigningSecret(context, options.secretStdin);
  const writeLine = (received: Received) =>
    isTable
      ? output.message(describeReceived(received, hasColor))
      : output.write(`${formatJson(received)}\n`);
  const listener = await openListener({
    host: options.host ?? '127.0.0.1',
    port,
    secret,
    target,
    now: io.now,
    onReceived: writeLine,
    onError: (error) => output.warn(`shorty: ${error.message}`),
  });
  try {
    const forwarding = target ? `, forwarding to ${target.href}` : '';
    output.note(`waiting for webhooks on ${listener.url}${forwarding}; Ctrl-C stops`);
    if (secret === undefined)
      output.warn('UNVERIFIED: SHORTY_WEBHOOK_SECRET is not set, so no signature is checked');
    if (!io.interrupt.aborted) await once(io.interrupt, 'abort');
  } finally {
    await listener.stop();
  }
  return exitCodes.interrupted;
}

export async function readTarget(
  text: string | undefined,
  context: Context,
): Promise<URL | undefined> {
  if (text === undefined) return undefined;
  const url = parseUrl(await offerScheme(text, '--forward-to', context));
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`--forward-to ${text}: must be an http or https URL`);
}

function parsePort(text: string): number {
  const port = parseCount(text);
  if (port <= 65_535) return port;
  throw new UsageError(`--port ${text}: must be at most 65535`);
}
