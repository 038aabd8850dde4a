import type { DefineCommand } from '../../../command.js';
import type { Context } from '../../../context.js';
import { type ExitCode, exitCodes } from '../../../exit-codes.js';
import { addCredentialOptions, type CredentialOptions, changesOf } from '../credential-changes.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<org-id>', 'id of the organization').argument('<key-id>', 'id of the API key');
  addCredentialOptions(command).action((id: string, keyId: string, options: CredentialOptions) =>
    start((context) => update(context, { id, keyId }, options)),
  );
};

async function update(
  context: Context,
  params: { readonly id: string; readonly keyId: string },
  options: CredentialOptions,
): Promise<ExitCode> {
  const body = changesOf(options);
  const client = await context.operator();
  const path = '/api/v1/admin/organizations/{id}/api-keys/{keyId}';
  const request = { signal: context.io.interrupt };
  await context.output.record(await client.request('PATCH', path, { params, body }, request));
  return exitCodes.done;
}
