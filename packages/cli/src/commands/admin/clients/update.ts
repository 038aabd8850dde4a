import { UsageError } from '../../../cli-error.js';
import type { DefineCommand } from '../../../command.js';
import type { Context } from '../../../context.js';
import { type ExitCode, exitCodes } from '../../../exit-codes.js';

interface UpdateOptions {
  readonly name?: string;
  /** False with `--no-expiry`. */
  readonly expiry?: false;
  readonly expiresAt?: string;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<org-id>', 'id of the organization')
    .argument('<client-id>', 'id of the client')
    .option('--name <name>', 'what it is for')
    .option('--expires-at <time>', 'date or time of expiry in ISO 8601')
    .option('--no-expiry', 'never expire')
    .action((id: string, clientId: string, options: UpdateOptions) =>
      start((context) => update(context, { id, clientId }, options)),
    );
};

async function update(
  context: Context,
  params: { readonly id: string; readonly clientId: string },
  { name, expiry, expiresAt }: UpdateOptions,
): Promise<ExitCode> {
  const body = {
    ...(name !== undefined && { name }),
    ...(expiry === false && { expiresAt: null }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  if (Object.keys(body).length === 0) {
    throw new UsageError('nothing to change', 'use --name, --expires-at or --no-expiry');
  }
  const client = await context.operator();
  const path = '/api/v1/admin/organizations/{id}/clients/{clientId}';
  const request = { signal: context.io.interrupt };
  await context.output.record(await client.request('PATCH', path, { params, body }, request));
  return exitCodes.done;
}
