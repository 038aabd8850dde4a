import type { ApiKey } from '@shorty/sdk';
import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';
import type { Column } from '../../../output.js';
import { addPageOptions, type PageOptions } from '../../page-options.js';
import { listPages } from '../list-pages.js';

const columns: readonly Column<ApiKey>[] = [
  { name: 'id', value: (key) => key.id, isWhole: true },
  { name: 'name', value: (key) => key.name },
  { name: 'start', value: (key) => key.start, isWhole: true },
  { name: 'scopes', value: (key) => key.scopes },
  { name: 'createdBy', value: (key) => key.createdBy },
  { name: 'lastUsedAt', value: (key) => key.lastUsedAt },
  { name: 'expiresAt', value: (key) => key.expiresAt },
];

export const define: DefineCommand = (command, start) => {
  addPageOptions(command.argument('<org-id>', 'id of the organization'), 'key').action(
    (id: string, options: PageOptions) =>
      start(async (context) => {
        const client = await context.operator();
        const path = '/api/v1/admin/organizations/{id}/api-keys';
        const request = { signal: context.io.interrupt };
        await listPages(context, options, columns, (query) =>
          client.request('GET', path, { params: { id }, query }, request),
        );
        return exitCodes.done;
      }),
  );
};
