import { formatUsd } from '@shorty/report';
import type { AuditEntry, Usage } from '@shorty/sdk';
import { type CommandRow, repeatable } from '../command.js';
import { fieldOptions } from '../field-options.js';
import { type Column, columnsOf, fieldsOf } from '../format-rows.js';
import { naming } from '../records.js';
import { listCommand, requestCommand } from './request-command.js';

export const organizationCommands: Readonly<Record<string, CommandRow>> = {
  get: requestCommand('getOwnOrganization', { examples: ['shorty organization get'] }),
  update: requestCommand('updateOwnOrganization', {
    summary: 'Change which addresses are not counted',
    examples: [
      'shorty organization update --exclude-address 203.0.113.0/24',
      'shorty organization update --clear excludeAddresses',
    ],
    options: {
      '--exclude-address <range>': {
        ...repeatable('do not count visits from this address or CIDR range; replaces the list'),
        field: 'excludeAddresses',
      },
    },
    clears: true,
  }),
};

export const usage: CommandRow = requestCommand<Usage>('getUsage', {
  summary: 'Show the usage of a month and the limits of the plan',
  examples: ['shorty usage', 'shorty usage --period 2026-10 --output csv'],
  options: { '--period <month>': 'month in UTC, for example 2030-01 (default: the current month)' },
  print: async ({ output }, usage) => {
    if (output.format === 'json' || output.format === 'ndjson' || output.fields) {
      return output.record(usage);
    }
    const { meters, links, plan, period } = usage;
    const amounts: Readonly<Record<string, Amounts>> = { links, ...meters };
    // Each row names its month, so that the files of several months can be joined.
    const rows = Object.entries(amounts).map(
      ([meter, { used, included, overage, overageUsd }]) => ({
        ...{ period, plan, meter, used },
        included: included === null ? 'unlimited' : included,
        overage,
        overageUsd: overageUsd === undefined ? undefined : formatUsd(overageUsd),
      }),
    );
    return output.list([rows], fieldsOf(rows[0] ?? {}));
  },
});

interface Amounts {
  readonly used: number;
  readonly included?: number | null;
  readonly overage?: number;
  readonly overageUsd?: number;
}

const auditColumns: readonly Column<AuditEntry>[] = [
  { name: 'createdAt', value: (entry) => entry.createdAt, isWhole: true },
  { name: 'actor', value: ({ actor }) => actor.name ?? actor.id ?? actor.type },
  ...columnsOf<AuditEntry>('address'),
  { name: 'operation', value: (entry) => entry.operation, isWhole: true },
  {
    name: 'resource',
    value: ({ resource: { type, id } }) => (id === null ? type : `${type} ${id}`),
  },
  ...columnsOf<AuditEntry>('count'),
  { name: 'fields', value: (entry) => entry.fields.join(' ') },
  ...columnsOf<AuditEntry>('organizationId', 'id'),
];

/** Lists the changes of the own organization. */
export const audit: CommandRow = listCommand<AuditEntry>('listAuditEntries', {
  columns: auditColumns,
  examples: ['shorty audit', 'shorty audit --since 7d --operation deleteUrl --all -o ndjson'],
});

/** Lists the changes of all organizations, with the operator key. */
export const adminAudit: CommandRow = listCommand<AuditEntry>('listAllAuditEntries', {
  examples: ['shorty admin audit --all -o ndjson --organization "Acme Ltd"'],
  columns: auditColumns,
  options: {
    '--organization <organization>': {
      ...naming('organization', 'only of this organization'),
      field: 'organizationId',
    },
    ...fieldOptions('listAllAuditEntries', ['organizationId']),
  },
});
