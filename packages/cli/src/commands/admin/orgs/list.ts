import type { Organization } from '@shorty/sdk';
import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';
import type { Column } from '../../../output.js';
import { addPageOptions, type PageOptions } from '../../page-options.js';
import { listPages } from '../list-pages.js';

const columns: readonly Column<Organization>[] = [
  { name: 'id', value: (organization) => organization.id, isWhole: true },
  { name: 'name', value: (organization) => organization.name },
  { name: 'plan', value: (organization) => organization.plan },
  { name: 'activeUrls', value: (organization) => organization.activeUrls },
  { name: 'createdAt', value: (organization) => organization.createdAt },
  { name: 'suspendedAt', value: (organization) => organization.suspendedAt },
];

export const define: DefineCommand = (command, start) => {
  addPageOptions(command, 'organization').action((options: PageOptions) =>
    start(async (context) => {
      const client = await context.operator();
      await listPages(context, options, columns, (query) => {
        const request = { signal: context.io.interrupt };
        return client.request('GET', '/api/v1/admin/organizations', { query }, request);
      });
      return exitCodes.done;
    }),
  );
};
