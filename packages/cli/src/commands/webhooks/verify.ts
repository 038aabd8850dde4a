import { verifyWebhook, WebhookVerificationError } from '@shorty/webhook-verifier';
import { Option } from 'commander';
import { CliError, UsageError } from '../../cli-error.js';
import { collect, type DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { readInput } from '../../read-input.js';
import { readSigningSecret, secretHelp } from '../../webhooks/read-signing-secret.js';
import { parseCount } from '../urls/link-options.js';

interface VerifyOptions {
  readonly header?: readonly string[];
  readonly secretStdin?: boolean;
  readonly tolerance?: number;
}

const limits = { subject: 'the body', maxMegabytes: 16 };

export const define: DefineCommand = (command, start) => {
  command
    .argument('<body>', 'file with the unchanged body, or - for stdin')
    .addOption(
      new Option(
        '-H, --header <line>',
        "'X-Service-Timestamp: …' and 'X-Service-Signature: …'",
      ).argParser(collect),
    )
    .addOption(
      new Option('--tolerance <seconds>', 'maximum age of the timestamp (default: 300)').argParser(
        parseCount,
      ),
    )
    .option('--secret-stdin', 'read the secret from stdin (prompts on a terminal)')
    .addHelpText('after', help)
    .action((path: string, options: VerifyOptions) =>
      start((context) => verifyDelivery(context, path, options)),
    );
};

const help = `
${secretHelp}
Prints the event and exits with 0, or prints the error and exits with 1.`;

async function verifyDelivery(
  context: Context,
  path: string,
  { header = [], secretStdin, tolerance }: VerifyOptions,
): Promise<ExitCode> {
  if (path === '-' && secretStdin) {
    throw new UsageError('body and secret cannot both come from stdin', secretHelp);
  }
  const headers = header.map(parseHeader);
  const secret = await readSigningSecret(context, secretStdin);
  if (secret === undefined) throw new UsageError('no webhook secret', secretHelp);
  const body = await readInput(context, path, limits);
  try {
    const event = verifyWebhook({
      body,
      headers,
      secret,
      tolerance,
      now: new Date(context.io.now()),
    });
    await context.output.record(event);
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    throw new CliError(`${error.code}: ${error.message}`, { code: error.code, cause: error });
  }
}

function parseHeader(line: string): readonly [string, string] {
  const split = line.indexOf(':');
  if (split > 0) return [line.slice(0, split).trim(), line.slice(split + 1).trim()];
  throw new UsageError(`--header ${line}: must have the form 'Name: value'`);
}
