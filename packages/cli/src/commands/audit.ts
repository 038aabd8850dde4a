import type { AuditEntry } from '@shorty/sdk';
import type { CommandRow } from '../command.js';
import { queryOptions } from '../field-options.js';
import type { Column } from '../output.js';
import { type Named, naming } from '../records.js';
import { listCommand } from './request-command.js';

const columns: readonly Column<AuditEntry>[] = [
  { name: 'createdAt', value: (entry) => entry.createdAt, isWhole: true },
  { name: 'actor', value: ({ actor }) => actor.name ?? actor.id ?? actor.type },
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

/** Lists the changes of the own organization. */
export const audit: CommandRow = listCommand<AuditEntry>({
  summary: 'List who changed what, newest first',
  examples: ['shorty audit', 'shorty audit --since 7d --operation deleteUrl --all -o ndjson'],
  options: queryOptions('listAuditEntries'),
  route: 'GET /api/v1/audit',
  item: 'entry',
  columns,
});

/** Lists the changes of all organizations, with the operator key. */
export const adminAudit: CommandRow = listCommand<AuditEntry>({
  summary: 'List who changed what in all organizations, newest first',
  examples: ['shorty admin audit --all -o ndjson --organization "Acme Ltd"'],
  options: {
    '--organization <organization>': naming('organization', 'only of this organization'),
    ...queryOptions('listAllAuditEntries', ['organizationId']),
  },
  route: 'GET /api/v1/admin/audit',
  item: 'entry',
  columns,
  fields: ({ organization, ...query }: { organization?: Named }) => ({
    ...query,
    organizationId: organization,
  }),
});
