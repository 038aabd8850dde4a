import { v7 as newUuid } from 'uuid';
import type { z } from 'zod';
import { clientOf, newCredentials, noOrganization } from '../auth/client-repository.js';
import { firstClientScopes } from '../contract/define-route.js';
import type { PageRange } from '../contract/fields.js';
import type { ReadPage } from '../contract/json-text.js';
import { withIsoTimes } from '../contract/present.js';
import type { HandlersOf } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import type { Clock } from '../ports.js';
import { operatorOwner } from '../storage/database.js';
import { readPeriod } from './monthly-usage.js';
import type { organizationRoutes, organizationUsage } from './organization-contract.js';
import {
  type OrganizationRecord,
  type OrganizationRepository,
  toOrganizationRecord,
} from './organization-repository.js';
import { type PlanTable, requirePlan } from './plans.js';

const listOf = (name: string) => ({ name, organizationId: operatorOwner });

export function organizationHandlers(options: {
  readonly organizations: OrganizationRepository;
  readonly listOrganizations: ReadPage<OrganizationRecord>;
  readonly listUsage: ReadPage<
    z.input<typeof organizationUsage>,
    PageRange,
    [month: string, plans: PlanTable]
  >;
  readonly plans: PlanTable;
  readonly clock: Clock;
  /** Called after a change of an organization, before the response. */
  readonly onChanged: () => void;
}): HandlersOf<typeof organizationRoutes> {
  const { organizations, plans, clock, onChanged } = options;
  return {
    async createOrganization({ body, context }) {
      requirePlan(plans, body.plan);
      const credentials = newCredentials();
      const organization = { id: newUuid(), ...body, createdAt: clock() };
      const client = clientOf(organization.id, credentials, firstClientScopes);
      const { clientSecret } = credentials;
      const { result, replayed } = await organizations.create(
        organization,
        client,
        clientSecret,
        context.write,
      );
      const data = { ...toOrganizationRecord(result.organization), ...result.credentials };
      return { status: 201, replayed, data };
    },

    listOrganizations: ({ query }) =>
      replyWithPage(listOf('organizations'), query, options.listOrganizations),

    async getOrganization({ params: { id } }) {
      const organization = await organizations.find(id);
      if (!organization) throw noOrganization(id);
      return { status: 200, data: toOrganizationRecord(organization) };
    },

    async updateOrganization({ params: { id }, body, context: { now, write } }) {
      requirePlan(plans, body.plan);
      try {
        const { result, replayed } = await organizations.update(id, body, now, write);
        return { status: 200, replayed, data: toOrganizationRecord(result) };
      } finally {
        // Also after an error, because the commit may have succeeded before the connection failed.
        if (body.isSuspended !== undefined) onChanged();
      }
    },

    async deleteOrganization({ params: { id }, body: { confirm }, context }) {
      const { now, write } = context;
      try {
        const { result, replayed } = await organizations.markDeleted(id, confirm, now, write);
        return { status: 202, replayed, data: withIsoTimes(result) };
      } finally {
        onChanged();
      }
    },

    async listUsage({ query }) {
      const { period, ...range } = query;
      const month = readPeriod(period, clock());
      return replyWithPage(listOf('usage'), { ...range, month }, (owner, filter) =>
        options.listUsage(owner, filter, month, plans),
      );
    },
  };
}
