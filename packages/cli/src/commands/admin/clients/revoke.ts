import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<org-id>', 'id of the organization')
    .argument('<client-id>', 'id of the client')
    .action((id: string, clientId: string) =>
      start(async (context) => {
        const client = await context.operator();
        const path = '/api/v1/admin/organizations/{id}/clients/{clientId}';
        const request = { signal: context.io.interrupt };
        const params = { id, clientId };
        await context.output.record(await client.request('DELETE', path, { params }, request));
        return exitCodes.done;
      }),
    );
};
