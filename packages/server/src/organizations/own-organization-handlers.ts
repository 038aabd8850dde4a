import type { z } from 'zod';
import { scopes } from '../contract/define-route.js';
import { presentAs, withIsoTimes } from '../contract/present.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { type MonthlyUsage, presentUsage, readMonthlyUsages, readPeriod } from './monthly-usage.js';
import type { Organization, OrganizationRepository } from './organization-repository.js';
import {
  type meRoutes,
  ownOrganization,
  type ownOrganizationRoutes,
} from './own-organization-contract.js';
import type { PlanTable } from './plans.js';
import type { usageRoutes } from './usage-contract.js';

export function ownOrganizationHandlers(options: {
  readonly database: Database;
  readonly organizations: OrganizationRepository;
  readonly plans: PlanTable;
  readonly clock: Clock;
  /** Called after a change of the excluded addresses, before the response. */
  readonly onAddressesChanged: (organizationId: string) => void;
}): HandlersOf<
  readonly [...typeof meRoutes, ...typeof ownOrganizationRoutes, ...typeof usageRoutes]
> {
  const { database, organizations, plans, clock } = options;
  return {
    async getMe({ caller: { organizationId, scopes: granted, client, apiKey, user } }) {
      const { id, name, plan } = await organizations.get(organizationId);
      const data = {
        organization: { id, name, plan },
        scopes: scopes.filter((scope) => granted.has(scope)),
        client,
        apiKey: apiKey && withIsoTimes(apiKey),
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
  };
}

function toOwnOrganization(organization: Organization): z.input<typeof ownOrganization> {
  const { excludeAddresses } = organization;
  return presentAs(ownOrganization, {
    ...organization,
    excludeAddresses: excludeAddresses === '' ? [] : excludeAddresses.split(','),
  });
}
