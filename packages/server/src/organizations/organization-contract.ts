import { z } from 'zod';
import { defineRoute, forOperator } from '../contract/define-route.js';
import {
  displayText,
  instant,
  pageOf,
  paging,
  plainLine,
  uuidParam,
  uuidText,
} from '../contract/fields.js';
import { planName } from './plans.js';
import { period, usage } from './usage-contract.js';

const name = displayText(100, 1).meta({
  description: 'The name of the organization.',
  example: 'Acme Ltd',
});
const plan = planName;

export const organizationCreateRequest = z
  .strictObject({ name, plan })
  .meta({ id: 'OrganizationCreateRequest' });

export const organizationUpdateRequest = z
  .strictObject({
    name: name.optional(),
    plan: plan
      .optional()
      .describe('Takes effect at the next request. Links and codes beyond the new plan stay.'),
    isSuspended: z.boolean().optional().meta({
      description:
        'True suspends the organization: its API requests get 403, and its links answer 410. False resumes it.',
      example: true,
    }),
  })
  .meta({ id: 'OrganizationUpdateRequest' });

const fields = {
  id: uuidText,
  name: z.string().meta({ description: 'The name of the organization.', example: 'Acme Ltd' }),
  plan,
  activeUrls: z.int().min(0).describe('The number of active links.'),
  createdAt: instant,
  suspendedAt: instant
    .nullable()
    .describe('Since when the organization is suspended. Null: it is not.'),
  deletedAt: instant.nullable().describe('When its deletion began. Null: it is not being deleted.'),
};

export const organizationRecord = z.object(fields).meta({ id: 'Organization' });

export const organizationCreated = z
  .object({
    ...fields,
    clientId: z.string().meta({ example: 'shorty_ci_0f3b' }),
    clientSecret: z.string().meta({
      description: 'The secret of the first client. Only this response contains it.',
      example: 'shorty_cs_2c81',
    }),
  })
  .meta({ id: 'OrganizationCreated' });

export const organizationDeletionRequest = z
  .strictObject({
    confirm: plainLine(100, 1).meta({
      description: 'The id or the name of the organization, repeated.',
      example: 'Acme Ltd',
    }),
  })
  .meta({ id: 'OrganizationDeletionRequest' });

export const organizationDeletion = z
  .object({
    id: uuidText,
    deletedAt: instant.describe('When the deletion began.'),
  })
  .meta({ id: 'OrganizationDeletion' });

export const organizationUsage = z
  .object({
    organization: z
      .object({ id: uuidText, name: fields.name })
      .describe('The organization that the figures belong to.'),
    ...usage.shape,
  })
  .meta({ id: 'OrganizationUsage' });

const params = z.strictObject({ id: uuidParam });

export const organizationRoutes = [
  defineRoute('createOrganization', 'POST /api/v1/admin/organizations', {
    ...forOperator,
    summary: 'Create an organization and its first client',
    description:
      'The response contains the secret of the client, which is shown only once. The client has every scope but urls:erase.',
    body: organizationCreateRequest,
    responses: { 201: { description: 'The new organization', data: organizationCreated } },
  }),
  defineRoute('listOrganizations', 'GET /api/v1/admin/organizations', {
    ...forOperator,
    summary: 'List organizations, newest first',
    query: z.strictObject(paging),
    responses: {
      200: { description: 'One page of organizations', data: pageOf(organizationRecord) },
    },
  }),
  defineRoute('getOrganization', 'GET /api/v1/admin/organizations/{id}', {
    ...forOperator,
    summary: 'Read an organization',
    params,
    responses: { 200: { description: 'The organization', data: organizationRecord } },
  }),
  defineRoute('updateOrganization', 'PATCH /api/v1/admin/organizations/{id}', {
    ...forOperator,
    summary: 'Rename, suspend or resume an organization, or change its plan',
    description:
      'A suspension takes effect before the response on this node, and within a second on others.',
    params,
    body: organizationUpdateRequest,
    responses: { 200: { description: 'The changed organization', data: organizationRecord } },
  }),
  defineRoute('deleteOrganization', 'DELETE /api/v1/admin/organizations/{id}', {
    ...forOperator,
    summary: 'Delete an organization and everything that it has',
    description:
      'Suspends the organization at once, and deletes its rows in the background. It is listed, with `deletedAt`, until the last of them is deleted, and cannot be resumed. Its short codes and slugs on the short domain are never given to other links.',
    params,
    body: organizationDeletionRequest,
    responses: { 202: { description: 'The deletion has begun', data: organizationDeletion } },
  }),
  defineRoute('listUsage', 'GET /api/v1/admin/usage', {
    ...forOperator,
    summary: 'List the use of every organization in a month, newest organizations first',
    query: z.strictObject({ ...paging, period }),
    responses: { 200: { description: 'One page of usage', data: pageOf(organizationUsage) } },
  }),
] as const;
