import { once } from 'node:events';
import { Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import { collect, type DefineCommand, formatOption } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { formatJson } from '../../format.js';
import { isRichTerminal, terminalColumns } from '../../io.js';
import { resolveFormat } from '../../output.js';
import { parseUrl } from '../../parse-url.js';
import { offerScheme } from '../../scheme.js';
import { describeForward, hasFailed } from '../../webhooks/describe-forward.js';
import { openListener } from '../../webhooks/listener.js';
import { readSigningSecret, secretHelp } from '../../webhooks/read-signing-secret.js';
import { describeReceived, type Received } from '../../webhooks/received.js';
import { StreamSession } from '../../webhooks/stream-session.js';
import { parseCount } from '../urls/link-options.js';
import { readEvents } from './event-options.js';

interface ListenOptions {
  readonly forwardTo?: string;
  readonly event?: readonly string[];
  readonly events?: readonly string[];
  readonly replayLast?: number;
  readonly printJson?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly secretStdin?: boolean;
}

const maxReplayLast = 100;

export const define: DefineCommand = (command, start) => {
  command
    .option('--forward-to <url>', 'post each delivery to this URL, unchanged')
    .addOption(
      new Option(
        '--events <types>',
        'event types, separated by commas (default: *, all but url.clicked)',
      ).argParser(collect),
    )
    .addOption(new Option('--event <type>', 'same as --events').argParser(collect).hideHelp())
    .addOption(
      new Option('--replay-last <count>', 'begin with the last events, up to 100').argParser(
        parseReplayLast,
      ),
    )
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
Creates a temporary webhook and reads its events from the server, so your
machine needs no public address. Verifies each delivery, posts it to
--forward-to with all headers, and prints the response. It prints the signing
secret for your receiver. If SHORTY_WEBHOOK_SECRET is set, it signs the
deliveries with that one instead, so that your receiver need not be restarted.
Ctrl-C deletes the webhook; without it, the webhook expires after a minute. A
delivery that your receiver refuses is not retried: shorty webhooks resend
sends it again.

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
    for (const name of ['event', 'events', 'replayLast'] as const) {
      if (options[name] === undefined) continue;
      const flag = name === 'replayLast' ? '--replay-last' : `--${name}`;
      throw new UsageError(`${flag} does not apply with --port`);
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

/** Follows a temporary webhook of the server. */
async function follow(
  context: Context,
  options: ListenOptions,
  { isTable, hasColor, target }: View,
): Promise<ExitCode> {
  const { io, output } = context;
  const selected = [...(options.events ?? []), ...(options.event ?? [])];
  const events = readEvents({ event: selected.length > 0 ? selected : ['*'] }, '--events');
  if (!events) throw new UsageError('--events: names no event type');
  const ownSecret = await readSigningSecret(context, false);
  let hadFailed = false;
  const session = new StreamSession({
    context,
    events,
    replayLast: options.replayLast ?? 0,
    target,
    ownSecret,
    onOpened({ id, secret, replayed }, isFirst) {
      output.note(`signing secret: ${ownSecret ? 'SHORTY_WEBHOOK_SECRET' : secret}`);
      if (!isFirst) return;
      const forwarding = target ? `, forwarded to ${target.href}` : '';
      const past = replayed > 0 ? `, and the last ${replayed}` : '';
      output.note(`webhook ${id}`);
      output.note(`waiting for events: ${events.join(', ')}${past}${forwarding}; Ctrl-C stops`);
    },
    async onReceived(received, { id }) {
      const width = terminalColumns(io.stdout);
      await output.write(
        isTable
          ? `${describeForward(received, width, hasColor)}\n`
          : `${formatJson({ webhookId: id, ...received })}\n`,
      );
      const failed = hasFailed(received);
      if (failed) output.warn(explain(received));
      // Once until a delivery succeeds, because it would be the same for each.
      if (failed && !hadFailed) {
        // Not wrapped, so that it can be copied.
        io.stderr.write(`  shorty webhooks resend ${id} ${received.deliveryId}\n`);
      }
      hadFailed = failed;
    },
  });
  await session.run();
  return io.interrupt.aborted ? exitCodes.interrupted : exitCodes.done;
}

/** Says why a delivery failed, and what to do. */
function explain({ refusal, forwardError, forwardedStatus }: Received): string {
  if (refusal !== null) return `  not forwarded: ${refusal}`;
  const reason = forwardError ?? `your receiver answered ${forwardedStatus}`;
  const isDown = forwardError?.includes('ECONNREFUSED') === true;
  return `  ${reason}; ${isDown ? 'start it' : 'correct it'}, and send the delivery again`;
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

async function readTarget(text: string | undefined, context: Context): Promise<URL | undefined> {
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

function parseReplayLast(text: string): number {
  const count = parseCount(text);
  if (count <= maxReplayLast) return count;
  throw new UsageError(`--replay-last ${text}: must be at most ${maxReplayLast}`);
}
