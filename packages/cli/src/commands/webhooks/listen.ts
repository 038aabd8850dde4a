import { once } from 'node:events';
import { Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import { type DefineCommand, formatOption } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { formatJson } from '../../format.js';
import { isRichTerminal } from '../../io.js';
import { resolveFormat } from '../../output.js';
import { parseUrl } from '../../parse-url.js';
import { openListener } from '../../webhooks/listener.js';
import { readSigningSecret, secretHelp } from '../../webhooks/read-signing-secret.js';
import { describeReceived, type Received } from '../../webhooks/received.js';
import { parseCount } from '../urls/link-options.js';

interface ListenOptions {
  readonly forwardTo?: string;
  readonly port: number;
  readonly host: string;
  readonly secretStdin?: boolean;
}

const defaultPort = 4400;

export const define: DefineCommand = (command, start) => {
  command
    .option('--forward-to <url>', 'forward each delivery unchanged, and return the response')
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 selects a free port')
        .argParser(parsePort)
        .default(defaultPort),
    )
    .addOption(new Option('--host <address>', 'address to listen on').default('127.0.0.1'))
    .option('--secret-stdin', 'read the secret from stdin (prompts on a terminal)')
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
Start the server with SHORTY_ALLOW_PRIVATE_NETWORK=1, and create a webhook
for this address:
  shorty webhooks create http://localhost:${defaultPort} --event url.created

${secretHelp}
With a secret, a delivery with an invalid signature gets status 401 and is not
forwarded. Without a secret, deliveries are marked UNVERIFIED and forwarded.
When the receiver does not respond, the delivery gets status 502, and the
server retries it. Ctrl-C stops the command.`;

async function listen(context: Context, options: ListenOptions): Promise<ExitCode> {
  const { io, output, flags } = context;
  const isWatched = io.stdout.isTTY === true;
  const format = resolveFormat(flags, isWatched ? ['table', 'ndjson'] : ['ndjson', 'table']);
  const hasColor = output.allowsColor && isRichTerminal(io.stdout, io.env);
  const target = readTarget(options.forwardTo);
  const secret = await readSigningSecret(context, options.secretStdin);
  const writeLine = (received: Received) =>
    format === 'table'
      ? output.message(describeReceived(received, hasColor))
      : output.write(`${formatJson(received)}\n`);
  const listener = await openListener({
    host: options.host,
    port: options.port,
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

function readTarget(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = parseUrl(text);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`--forward-to ${text}: must be an http or https URL`);
}

function parsePort(text: string): number {
  const port = parseCount(text);
  if (port <= 65_535) return port;
  throw new UsageError(`--port ${text}: must be at most 65535`);
}
