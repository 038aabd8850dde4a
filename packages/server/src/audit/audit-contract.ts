import { z } from 'zod';
import { defineRoute, forOperator } from '../contract/define-route.js';
import {
  instant,
  type ListFilter,
  line,
  pageOf,
  paging,
  timestamp,
  uuid,
  uuidText,
} from '../contract/fields.js';
import { actorTypes, resourceTypes } from '../idempotency/audit-entry.js';

export const auditEntry = z
  .object({
    id: uuidText,
    createdAt: instant.describe('When the change was made, in UTC.'),
    organizationId: uuidText
      .nullable()
      .describe('The owner of the record. Null: a record of the operator.'),
    actor: z
      .object({
        type: z
          .enum(actorTypes)
          .describe('The kind of caller. shell is a command of shorty-server.'),
        id: z.string().nullable().meta({
          description:
            'The id of the person, client or API key. Null for the operator and the shell.',
          example: 'shorty_ci_0f3b',
        }),
        name: z.string().nullable().meta({
          description:
            'The address of the person. Null for others, and once the person is removed.',
          example: 'ada@example.com',
        }),
      })
      .describe('Who made the change.'),
    address: z.string().nullable().meta({
      description:
        'The IP address of the caller. Null for the shell, and to an organization also for the operator.',
      example: '203.0.113.7',
    }),
    operation: z.string().meta({
      description:
        'The operationId of the request in this document, or importOrganization of the shell.',
      example: 'updateUrl',
    }),
    resource: z
      .object({
        type: z.enum(resourceTypes).describe('The kind of record.'),
        id: z.string().nullable().meta({
          description: 'The id of the record. Null when the request changed several.',
          example: '42',
        }),
      })
      .describe('What was changed.'),
    count: z.int().min(0).meta({
      description: 'The number of changed records: more than 1 for bulk requests and tags.',
      example: 1,
    }),
    fields: z.array(z.string()).meta({
      description: 'The names of the fields that a PATCH of one record contained.',
      example: ['title'],
    }),
  })
  .meta({ id: 'AuditEntry' });

const filters = {
  since: timestamp
    .optional()
    .meta({ description: 'Only entries made at or after it.', param: { id: 'AuditSince' } }),
  until: timestamp
    .optional()
    .meta({ description: 'Only entries made before it.', param: { id: 'AuditUntil' } }),
  actor: line(200, 1)
    .optional()
    .meta({
      description: 'Only entries of this client or API key, by id, or of `operator` or `shell`.',
      example: 'shorty_ci_0f3b',
      param: { id: 'AuditActor' },
    }),
  operation: z
    .string()
    .regex(/^[A-Za-z]{1,64}$/, 'must be an operationId, such as updateUrl')
    .optional()
    .meta({
      description: 'Only entries of this operationId.',
      example: 'updateUrl',
      param: { id: 'AuditOperation' },
    }),
  resource: line(200, 1)
    .optional()
    .meta({
      description: 'Only entries about the record with this id.',
      example: '42',
      param: { id: 'AuditResource' },
    }),
};

const auditQuery = z.strictObject({ ...paging, ...filters });

const organizationId = uuid.optional().describe('Only entries about records of this organization.');

export type AuditFilter = ListFilter<z.output<typeof auditQuery>>;

export type OperatorAuditFilter = AuditFilter & { readonly organizationId?: string | undefined };

const description =
  'Each accepted write makes one entry, which is not changed after the response. The setting `SHORTY_AUDIT_RETENTION_DAYS` limits how long entries are retained. An entry has no values, only names of fields.';

const responses = {
  200: { description: 'One page of entries', data: pageOf(auditEntry) },
} as const;

export const auditRoutes = [
  defineRoute('listAuditEntries', 'GET /api/v1/audit', {
    tag: 'Audit log',
    access: { scope: 'keys:write' },
    summary: "List who changed the organization's records, newest first",
    description: `${description} Needs the scope keys:write, because entries name the clients, keys and addresses of the organization.`,
    query: auditQuery,
    responses,
  }),
  defineRoute('listAllAuditEntries', 'GET /api/v1/admin/audit', {
    ...forOperator,
    summary: 'List who changed records of all organizations, newest first',
    description,
    query: auditQuery.extend({ organizationId }),
    responses,
  }),
] as const;
