import type { AuditEntry } from '@shorty/sdk';
import { readTime } from '../../analytics/parse-time.js';
import type { DefineCommand } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import type { Column } from '../../output.js';
import { addPageOptions, type PageOptions } from '../page-options.js';
import { listPages } from './list-pages.js';

const columns: readonly Column<AuditEntry>[] = [
  { name: 'createdAt', value: (entry) => entry.createdAt, isWhole: true },
  { name: 'actor', value: ({ actor }) => actor.id ?? actor.type },
  { name: 'address', value: (entry) => entry.address },
  { name: 'operation', value: (entry) => entry.operation, isWhole: true },
  {
    name: 'resource',
    value: ({ resource: { type, id } }) => (id === null ? type : `${type} ${id}`),
  },
  { name: 'count', value: (entry) => entry.count },
  { name: 'fields', value: (entry) => entry.fields.join(' ') },
  { name: 'organizationId', value: (entry) => entry.organizationId },
  { name: 'id', value: (entry) => entry.id },
];

interface AuditOptions extends PageOptions {
  readonly organization?: string;
  readonly since?: string;
  readonly until?: string;
  readonly actor?: string;
  readonly operation?: string;
  readonly resource?: string;
}

export const define: DefineCommand = (command, start) => {
  addPageOptions(command, 'entry')
    .option('--organization <id>', 'only entries about records of this organization')
    .option('--since <time>', 'only entries made at or after it')
    .option('--until <time>', 'only entries made before it')
    .option('--actor <id>', 'only of this client or API key, operator or shell')
    .option('--operation <name>', 'only of this operationId, such as updateUrl')
    .option('--resource <id>', 'only about the record with this id')
    .action(({ limit, offset, all, organization, since, until, ...filters }: AuditOptions) =>
      start(async (context) => {
        const client = await context.operator();
        const request = { signal: context.io.interrupt };
        const now = context.io.now();
        const ofTime = (flag: '--since' | '--until', text: string) =>
          new Date(readTime(flag, text, now)).toISOString();
        await listPages(context, { limit, offset, all }, columns, (page) => {
          const query = {
            ...page,
            ...filters,
            ...(since !== undefined && { since: ofTime('--since', since) }),
            ...(until !== undefined && { until: ofTime('--until', until) }),
            ...(organization !== undefined && { organizationId: organization }),
          };
          return client.request('GET', '/api/v1/admin/audit', { query }, request);
        });
        return exitCodes.done;
      }),
    );
};
