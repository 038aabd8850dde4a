import type { OrganizationUsage } from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import type { Column } from '../../output.js';
import { addPageOptions, type PageOptions } from '../page-options.js';
import { listPages } from './list-pages.js';

const columns: readonly Column<OrganizationUsage>[] = [
  { name: 'organizationId', value: ({ organization }) => organization.id, isWhole: true },
  { name: 'name', value: ({ organization }) => organization.name },
  { name: 'plan', value: (usage) => usage.plan },
  { name: 'activeLinks', value: (usage) => usage.links.used },
  { name: 'apiCalls', value: (usage) => usage.meters.api_call.used },
  { name: 'qrCodes', value: (usage) => usage.meters.qr_generated.used },
  { name: 'deliveries', value: (usage) => usage.meters.webhook_delivery.used },
];

interface UsageOptions extends PageOptions {
  readonly period?: string;
}

export const define: DefineCommand = (command, start) => {
  addPageOptions(command, 'organization')
    .option('--period <month>', 'a month such as 2030-01 (default: this month)')
    .action(({ period, ...options }: UsageOptions) =>
      start(async (context) => {
        const client = await context.operator();
        await listPages(context, options, columns, (page) => {
          const query = { ...page, ...(period === undefined ? {} : { period }) };
          const request = { signal: context.io.interrupt };
          return client.request('GET', '/api/v1/admin/usage', { query }, request);
        });
        return exitCodes.done;
      }),
    );
};
