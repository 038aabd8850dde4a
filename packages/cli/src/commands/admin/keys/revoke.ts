import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<org-id>', 'id of the organization')
    .argument('<key-id>', 'id of the API key')
    .action((id: string, keyId: string) =>
      start(async (context) => {
        const client = await context.operator();
        const path = '/api/v1/admin/organizations/{id}/api-keys/{keyId}';
        const request = { signal: context.io.interrupt };
        const params = { id, keyId };
        await context.output.record(await client.request('DELETE', path, { params }, request));
        return exitCodes.done;
      }),
    );
};
