import { v7 as newUuid } from 'uuid';
import type { z } from 'zod';
import { clientOf, newCredentials, noOrganization } from '../auth/client-repository.js';
import { firstClientScopes, scopes } from '../contract/define-route.js';
import type { PageRange } from '../contract/fields.js';
import type { ReadPage } from '../contract/json-text.js';
import { presentAs, withIsoTimes } from '../contract/present.js';
import type { HandlersOf } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import type { Clock } from '../ports.js';
import { type Database, operatorOwner } from '../storage/database.js';
import { type MonthlyUsage, presentUsage, readMonthlyUsages, readPeriod } from './monthly-usage.js';
import type { organizationRoutes, organizationUsage } from './organization-contract.js';
import {
  type Organization,
  type OrganizationRecord,
  type OrganizationRepository,
  toOrganizationRecord,
} from './organization-repository.js';
import {
  type meRoutes,
  ownOrganization,
  type ownOrganizationRoutes,
} from './own-organization-contract.js';
import { type PlanTable, requirePlan } from './plans.js';
import type { usageRoutes } from './usage-contract.js';

type OwnRoutes = [...typeof meRoutes, ...typeof ownOrganizationRoutes, ...typeof usageRoutes];

export function organizationHandlers(options: {
  readonly database: Database;
  readonly organizations: OrganizationRepository;
  readonly listOrganizations: ReadPage<OrganizationRecord>;
  readonly listUsage: ReadPage<
    z.input<typeof organizationUsage>,
    PageRange,
    [month: string, plans: PlanTable]
  >;
  readonly plans: PlanTable;
  readonly clock: Clock;
  /** Called after the operator has changed an organization, before the response. */
  readonly onChanged: () => void;
  /** Called after a change of the excluded addresses, before the response. */
  readonly onAddressesChanged: (organizationId: string) => void;
}): HandlersOf<readonly [...OwnRoutes, ...typeof organizationRoutes]> {
  const { database, organizations, plans, clock, onChanged } = options;
  return {
    async getMe({ caller }) {
      const { organizationId, scopes: granted, client = null, apiKey, user = null } = caller;
      const { id, name, plan } = await organizations.get(organizationId);
      const data = {
        organization: { id, name, plan },
        scopes: scopes.filter((scope) => granted.has(scope)),
        client,
        apiKey: apiKey ? withIsoTimes(apiKey) : null,
        user,
      };
      return { status: 200, data };
    },

    async getUsage({ caller: { organizationId }, query }) {
      const month = readPeriod(query.period, clock());
      const usages = await readMonthlyUsages(database, [organizationId], month);
      const usage = usages.get(organizationId) as MonthlyUsage;
      return { status: 200, data: presentUsage(plans, month, usage) };
    },

    async getOwnOrganization({ caller: { organizationId } }) {
      return { status: 200, data: toOwnOrganization(await organizations.get(organizationId)) };
    },

    async updateOwnOrganization({ body, context: { organizationId, now, write } }) {
      try {
        const changed = await organizations.update(organizationId, body, now, write);
        const { result, replayed } = changed;
        return { status: 200, replayed, data: toOwnOrganization(result) };
      } finally {
        // Also after an error, because the commit may have succeeded before the connection failed.
        if (body.excludeAddresses) options.onAddressesChanged(organizationId);
      }
    },

    async createOrganization({ body, context }) {
      requirePlan(plans, body.plan);
      const credentials = newCredentials();
      const organization = { id: newUuid(), ...body, createdAt: clock() };
      const client = clientOf(organization.id, credentials, firstClientScopes);
      const { clientSecret } = credentials;
      const creating = organizations.create(organization, client, clientSecret, context.write);
      const { result, replayed } = await creating;
      const data = { ...toOrganizationRecord(result.organization), ...result.credentials };
      return { status: 201, replayed, data };
    },

    listOrganizations: ({ query }) =>
      replyWithPage(operatorOwner, query, options.listOrganizations),

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
      return replyWithPage(operatorOwner, range, (owner, filter) =>
        options.listUsage(owner, filter, month, plans),
      );
    },
  };
}

function toOwnOrganization(organization: Organization): z.input<typeof ownOrganization> {
  const { excludeAddresses } = organization;
  return presentAs(ownOrganization, {
    ...organization,
    excludeAddresses: excludeAddresses === '' ? [] : excludeAddresses.split(','),
  });
}
