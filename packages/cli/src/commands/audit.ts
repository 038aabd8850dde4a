import type { AuditEntry, Page } from '@shorty/sdk';
import { readTime } from '../analytics/parse-time.js';
import type { DefineCommand } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import type { Column } from '../output.js';
import { addPageOptions, listPages, type PageOptions } from './page-options.js';

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

/** Lists the changes of the own organization. */
export const audit = { define: defineAudit('/api/v1/audit') };

/** Lists the changes of all organizations, with the operator key. */
export const adminAudit = { define: defineAudit('/api/v1/admin/audit') };

function defineAudit(path: '/api/v1/audit' | '/api/v1/admin/audit'): DefineCommand {
  const isOperator = path === '/api/v1/admin/audit';
  return (command, start) => {
    if (isOperator) {
      command.option('--organization <id>', 'only entries about records of this organization');
    }
    addPageOptions(command, 'entry')
      .option('--since <time>', 'only entries made at or after it')
      .option('--until <time>', 'only entries made before it')
      .option('--actor <id>', 'only of this client or API key, operator or shell')
      .option('--operation <name>', 'only of this operationId, such as updateUrl')
      .option('--resource <id>', 'only about the record with this id')
      .action(({ limit, offset, all, organization, since, until, ...filters }: AuditOptions) =>
        start(async (context) => {
          const { io } = context;
          const instant = (flag: string, text: string) =>
            new Date(readTime(flag, text, io.now())).toISOString();
          const query = {
            ...filters,
            ...(since !== undefined && { since: instant('--since', since) }),
            ...(until !== undefined && { until: instant('--until', until) }),
            ...(organization !== undefined && { organizationId: organization }),
          };
          const client = await (isOperator ? context.operator() : context.client());
          const request = { signal: io.interrupt };
          await listPages<AuditEntry>(context, { limit, offset, all }, columns, (page) => {
            const input = { query: { ...query, ...page } };
            // The parameters of both routes differ in the organization.
            return client.request('GET', path as `/${string}`, input, request) as PromiseLike<
              Page<AuditEntry>
            >;
          });
          return exitCodes.done;
        }),
      );
  };
}
