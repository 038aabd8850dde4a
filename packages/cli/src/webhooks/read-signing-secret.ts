import { UsageError } from '../cli-error.js';
import type { Context } from '../context.js';
import { readSecret } from '../prompt.js';

const variable = 'SHORTY_WEBHOOK_SECRET';

/** The help text on the secret. It is never a flag, because other processes can read flags. */
export const secretHelp = `Set the webhook secret in ${variable}, or pass it on stdin with
--secret-stdin.`;

export async function readSigningSecret(
  context: Context,
  isOnStdin: boolean | undefined,
): Promise<string | undefined> {
  if (!isOnStdin) return context.io.env[variable] || undefined;
  const secret = await readSecret(context, 'Webhook secret (not shown): ');
  if (secret === '') throw new UsageError('--secret-stdin: stdin is empty');
  return secret;
}
