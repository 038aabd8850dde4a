import { UsageError } from '../cli-error.js';
import type { Context } from '../context.js';
import { askHidden, readSecret } from '../prompt.js';

const variable = 'SHORTY_WEBHOOK_SECRET';

/** Where a webhook's secret comes from; never a flag, which other processes could read. */
export const secretHelp = `The secret of the webhook comes from ${variable}, or from stdin
with --secret-stdin.`;

export async function readSigningSecret(
  { io, isInteractive }: Context,
  isOnStdin: boolean | undefined,
): Promise<string | undefined> {
  if (!isOnStdin) return io.env[variable] || undefined;
  const secret = isInteractive
    ? await askHidden('Secret of the webhook (not shown): ', io)
    : await readSecret(io);
  if (secret === '') throw new UsageError('--secret-stdin: stdin holds no secret');
  return secret;
}
