import { once } from 'node:events';
import { Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import { type DefineCommand, formatOption } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
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
    .option('--forward-to <url>', 'pass each delivery on, byte for byte, and answer as it does')
    .addOption(
      new Option('--port <number>', 'where to listen; 0 takes a free port')
        .argParser(parsePort)
        .default(defaultPort),
    )
    .addOption(new Option('--host <address>', 'on which address').default('127.0.0.1'))
    .option('--secret-stdin', 'read the secret from stdin (asked for on a terminal)')
    .addOption(formatOption(['table', 'ndjson'], 'lines for people, or for programs'))
    .addHelpText('after', help)
    .action((options: ListenOptions) =>
      start((context) => listen(context, options), { ownsOutput: true }),
    );
};

const help = `
Have a webhook lead here, with a server that is started with
SHORTY_ALLOW_PRIVATE_NETWORK=1:
  shorty webhooks create http://localhost:${defaultPort} --event url.created

${secretHelp}
Without a secret deliveries are marked UNVERIFIED and forwarded all the same;
with one, what does not verify is answered with 401 and forwarded to nobody.
A receiver that does not answer is told as 502, so that the sender tries again.
Ends with Ctrl-C.`;

async function listen(context: Context, options: ListenOptions): Promise<ExitCode> {
  const { io, output, flags } = context;
  const isWatched = io.stdout.isTTY === true;
  const format = resolveFormat(flags, isWatched ? ['table', 'ndjson'] : ['ndjson', 'table']);
  const hasColor = output.allowsColor && isRichTerminal(io.stdout, io.env);
  const target = readTarget(options.forwardTo);
  const secret = await readSigningSecret(context, options.secretStdin);
  const line = (received: Received) =>
    format === 'table' ? describeReceived(received, hasColor) : JSON.stringify(received);
  const listener = await openListener({
    host: options.host,
    port: options.port,
    secret,
    target,
    now: io.now,
    onReceived: (received) => output.write(`${line(received)}\n`),
    onFault: (fault) => output.warn(`shorty: ${fault.message}`),
  });
  try {
    const onwards = target ? `, forwarding to ${target.href}` : '';
    output.note(`waiting for webhooks on ${listener.url}${onwards}; Ctrl-C ends`);
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
  throw new UsageError(`--forward-to ${text}: this is no http or https address`);
}

function parsePort(text: string): number {
  const port = parseCount(text);
  if (port <= 65_535) return port;
  throw new UsageError(`--port ${text}: ports end at 65535`);
}
