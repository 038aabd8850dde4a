import { UsageError } from '../cli-error.js';
import type { Context } from '../context.js';
import { askHidden, readSecret } from '../prompt.js';

const variable = 'SHORTY_WEBHOOK_SECRET';

/** The help text on the secret. It is never a flag, because other processes can read flags. */
export const secretHelp = `Set the webhook secret in ${variable}, or pass it on stdin with
--secret-stdin.`;

export async function readSigningSecret(
  { io, isInteractive }: Context,
  isOnStdin: boolean | undefined,
): Promise<string | undefined> {
  if (!isOnStdin) return io.env[variable] || undefined;
  const secret = isInteractive
    ? await askHidden('Webhook secret (not shown): ', io)
    : await readSecret(io);
  if (secret === '') throw new UsageError('--secret-stdin: stdin is empty');
  return secret;
}
