import type { AuditEntry, Page } from '@shorty/sdk';
import { readInstant } from '../analytics/parse-time.js';
import { type CommandRow, defined } from '../command.js';
import type { Column } from '../output.js';
import { listPages, type PageOptions, pageOptions } from './list-command.js';

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
}

/** Lists the changes of the own organization. */
export const audit = auditCommand('/api/v1/audit', {
  summary: 'List who changed what, newest first',
  examples: ['shorty audit', 'shorty audit --since 7d --operation deleteUrl --all -o ndjson'],
});

/** Lists the changes of all organizations, with the operator key. */
export const adminAudit = auditCommand('/api/v1/admin/audit', {
  summary: 'List who changed what in all organizations, newest first',
  examples: [
    'shorty admin audit --since 2030-01-01 --operation takeDownUrl',
    'shorty admin audit --all -o ndjson \\\n    --organization 0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47',
  ],
});

function auditCommand(
  path: `/${string}`,
  row: Pick<CommandRow, 'summary' | 'examples'>,
): CommandRow {
  const isOperator = path === '/api/v1/admin/audit';
  return {
    ...row,
    options: {
      ...(isOperator && {
        '--organization <id>': 'only entries about records of this organization',
      }),
      ...pageOptions('entry'),
      '--since <time>': 'only entries made at or after it',
      '--until <time>': 'only entries made before it',
      '--actor <id>': 'only of this client or API key, operator or shell',
      '--operation <name>': 'only of this operationId, such as updateUrl',
      '--resource <id>': 'only about the record with this id',
    },
    run: async (context, { limit, offset, all, organization, ...filters }: AuditOptions) => {
      const { io, request } = context;
      const query = defined({
        ...filters,
        since: readInstant('--since', filters.since, io.now()),
        until: readInstant('--until', filters.until, io.now()),
        organizationId: organization,
      });
      const client = await (isOperator ? context.operator() : context.client());
      return listPages<AuditEntry>(context, { limit, offset, all }, columns, (page) => {
        const input = { query: { ...query, ...page } };
        // The parameters of both routes differ in the organization.
        return client.request('GET', path, input, request) as PromiseLike<Page<AuditEntry>>;
      });
    },
  };
}
