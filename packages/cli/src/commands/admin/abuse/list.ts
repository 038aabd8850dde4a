import type { AbuseReport } from '@shorty/sdk';
import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';
import type { Column } from '../../../output.js';
import { addPageOptions, type PageOptions } from '../../page-options.js';
import { listPages } from '../list-pages.js';

interface ListOptions extends PageOptions {
  readonly resolved?: boolean;
}

const columns: readonly Column<AbuseReport>[] = [
  { name: 'id', value: (report) => report.id, isWhole: true },
  { name: 'shortUrl', value: (report) => report.shortUrl, isWhole: true },
  { name: 'reason', value: (report) => report.reason },
  { name: 'targetUrl', value: (report) => report.link?.targetUrl ?? '' },
  { name: 'createdAt', value: (report) => report.createdAt },
  { name: 'resolution', value: (report) => report.resolution ?? '' },
];

export const define: DefineCommand = (command, start) => {
  command.option('--resolved', 'reports that were resolved instead of open ones');
  addPageOptions(command, 'report').action(({ resolved, ...options }: ListOptions) =>
    start(async (context) => {
      const client = await context.operator();
      const request = { signal: context.io.interrupt };
      const status = resolved ? 'resolved' : 'open';
      await listPages(context, options, columns, (page) => {
        const query = { ...page, status } as const;
        return client.request('GET', '/api/v1/admin/abuse-reports', { query }, request);
      });
      return exitCodes.done;
    }),
  );
};
