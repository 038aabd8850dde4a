import { setTimeout as wait } from 'node:timers/promises';
import { formatCount } from '@shorty/report';
import { type Domain, type Shorty, ValidationError } from '@shorty/sdk';
import { Option } from 'commander';
import { CliError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { openLiveView } from '../../ui/live-view.js';
import { parsePositive } from '../urls/link-options.js';
import { writeDomain } from './write-domain.js';

interface VerifyOptions {
  readonly wait?: boolean;
  readonly waitFor: number;
  readonly every: number;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the domain')
    .option('--wait', 'repeat until DNS contains the TXT record')
    .addOption(
      new Option('--wait-for <minutes>', 'time limit of --wait')
        .argParser(parsePositive)
        .default(30),
    )
    .addOption(
      new Option('--every <seconds>', 'interval of --wait').argParser(parsePositive).default(15),
    )
    .action((id: string, options: VerifyOptions) =>
      start((context) => verifyDomain(context, id, options)),
    );
};

async function verifyDomain(
  context: Context,
  id: string,
  options: VerifyOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const client = await context.client();
  const domain = options.wait
    ? await untilVerified(context, client, id, options)
    : await client.domains.verify(id, { signal: io.interrupt });
  await writeDomain(context, domain);
  output.note(`create links on it: shorty urls create <url> --domain-id ${domain.id}`);
  return exitCodes.done;
}

/** Repeats the verification while DNS does not contain the record. Throws any other error. */
async function untilVerified(
  context: Context,
  client: Shorty,
  id: string,
  { waitFor, every }: VerifyOptions,
): Promise<Domain> {
  const { io, output } = context;
  const endsAt = io.now() + waitFor * 60_000;
  const progress = await openLiveView(context);
  let lastMessage: string | undefined;
  try {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await tryOnce(client, id, io.interrupt);
      if (!(outcome instanceof ValidationError)) return outcome;
      const { message } = outcome;
      // Prints each message once, until it changes.
      if (message !== lastMessage && !output.isQuiet) progress.log(message);
      lastMessage = message;
      if (io.now() + every * 1000 > endsAt) throw timeoutError(outcome, waitFor);
      progress.show([
        `checked DNS ${formatCount(attempt, 'time')}; next check in ${every} s; Ctrl-C stops`,
      ]);
      await wait(every * 1000, undefined, { signal: io.interrupt });
    }
  } finally {
    progress.close();
  }
}

async function tryOnce(
  client: Shorty,
  id: string,
  signal: AbortSignal,
): Promise<Domain | ValidationError> {
  try {
    return await client.domains.verify(id, { signal });
  } catch (error) {
    if (error instanceof ValidationError && error.code === 'DOMAIN_INVALID') return error;
    throw error;
  }
}

function timeoutError(cause: ValidationError, minutes: number): CliError {
  return new CliError(`not verified within ${formatCount(minutes, 'minute')}: ${cause.message}`, {
    code: 'DOMAIN_INVALID',
    cause,
  });
}
