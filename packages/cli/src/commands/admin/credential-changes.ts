import type { Command } from 'commander';
import { UsageError } from '../../cli-error.js';

/** The options that change a client or an API key. */
export interface CredentialOptions {
  readonly name?: string;
  /** False with `--no-expiry`. */
  readonly expiry?: false;
  readonly expiresAt?: string;
}

export function addCredentialOptions(command: Command): Command {
  return command
    .option('--name <name>', 'what it is for')
    .option('--expires-at <time>', 'date or time of expiry in ISO 8601')
    .option('--no-expiry', 'never expire');
}

/** Returns the body of the request. Throws when no option is set. */
export function changesOf({ name, expiry, expiresAt }: CredentialOptions) {
  const body = {
    ...(name !== undefined && { name }),
    ...(expiry === false && { expiresAt: null }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  if (Object.keys(body).length > 0) return body;
  throw new UsageError('nothing to change', 'use --name, --expires-at or --no-expiry');
}
