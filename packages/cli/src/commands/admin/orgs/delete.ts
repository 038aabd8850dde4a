import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the organization')
    .requiredOption('--confirm <id-or-name>', 'its id or its name again')
    .action((id: string, { confirm }: { readonly confirm: string }) =>
      start(async (context) => {
        const client = await context.operator();
        const path = '/api/v1/admin/organizations/{id}';
        const request = { signal: context.io.interrupt };
        const parameters = { params: { id }, body: { confirm } };
        await context.output.record(await client.request('DELETE', path, parameters, request));
        context.output.note(`the server deletes it: shorty admin orgs get ${id} fails when it has`);
        return exitCodes.done;
      }),
    );
};
