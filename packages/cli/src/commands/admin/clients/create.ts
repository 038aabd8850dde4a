import type { ClientCreateRequest } from '@shorty/sdk';
import type { DefineCommand } from '../../../command.js';
import type { Context } from '../../../context.js';
import { type ExitCode, exitCodes } from '../../../exit-codes.js';

interface CreateOptions {
  readonly name?: string;
  readonly scopes?: string;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<org-id>', 'id of the organization')
    .option('--name <name>', 'what the client is for')
    .option(
      '--scopes <scopes>',
      'scopes, separated by spaces (default: all but urls:erase and keys:write)',
    )
    .action((id: string, options: CreateOptions) =>
      start((context) => createClient(context, id, options)),
    );
};

type Scopes = NonNullable<ClientCreateRequest['scopes']>;

async function createClient(
  context: Context,
  id: string,
  { name, scopes }: CreateOptions,
): Promise<ExitCode> {
  const client = await context.operator();
  const body = {
    ...(name !== undefined && { name }),
    // The server knows the scopes, and names a wrong one.
    ...(scopes !== undefined && { scopes: scopes.split(/[\s,]+/).filter(Boolean) as Scopes }),
  };
  const path = '/api/v1/admin/organizations/{id}/clients';
  const request = { signal: context.io.interrupt };
  await context.output.record(
    await client.request('POST', path, { params: { id }, body }, request),
  );
  context.output.note('store the client secret now, it is shown only once');
  return exitCodes.done;
}
