import type { Client } from '@shorty/sdk';
import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';
import type { Column } from '../../../output.js';
import { addPageOptions, type PageOptions } from '../../page-options.js';
import { listPages } from '../list-pages.js';

const columns: readonly Column<Client>[] = [
  { name: 'id', value: (client) => client.id, isWhole: true },
  { name: 'name', value: (client) => client.name },
  { name: 'scopes', value: (client) => client.scopes },
  { name: 'createdAt', value: (client) => client.createdAt },
  { name: 'expiresAt', value: (client) => client.expiresAt },
  { name: 'revokedAt', value: (client) => client.revokedAt },
];

export const define: DefineCommand = (command, start) => {
  addPageOptions(command.argument('<org-id>', 'id of the organization'), 'client').action(
    (id: string, options: PageOptions) =>
      start(async (context) => {
        const client = await context.operator();
        const path = '/api/v1/admin/organizations/{id}/clients';
        const request = { signal: context.io.interrupt };
        await listPages(context, options, columns, (query) =>
          client.request('GET', path, { params: { id }, query }, request),
        );
        return exitCodes.done;
      }),
  );
};
