import type { ApiKeyCreateRequest } from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';

interface CreateOptions {
  readonly scopes?: string;
  readonly expiresAt?: string;
}

type Scopes = NonNullable<ApiKeyCreateRequest['scopes']>;

export const define: DefineCommand = (command, start) => {
  command
    .argument('<name>', 'what the key is for')
    .option('--scopes <scopes>', 'scopes, separated by spaces (default: all of yours)')
    .option('--expires-at <time>', 'date or time of expiry in ISO 8601 (default: never)')
    .action((name: string, options: CreateOptions) =>
      start((context) => createKey(context, name, options)),
    );
};

async function createKey(
  { client, io, output }: Context,
  name: string,
  { scopes, expiresAt }: CreateOptions,
): Promise<ExitCode> {
  const { apiKeys } = await client();
  const body = {
    name,
    // The server knows the scopes, and names a wrong one.
    ...(scopes !== undefined && { scopes: scopes.split(/[\s,]+/).filter(Boolean) as Scopes }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  await output.record(await apiKeys.create(body, { signal: io.interrupt }));
  output.note(
    'store the key now, it is shown only once; set it as SHORTY_ACCESS_TOKEN, or send it as "Authorization: Bearer ..."',
  );
  return exitCodes.done;
}
