import type { Handlers } from '../http/handlers.js';
import type { OrganizationRepository } from '../organizations/organization-repository.js';
import { plans } from '../organizations/plans.js';
import type { Clock } from '../ports.js';

export function usageHandlers(
  organizations: OrganizationRepository,
  clock: Clock,
): Pick<Handlers, 'getUsage'> {
  return {
    async getUsage({ caller }) {
      const { plan, activeUrls } = await organizations.get(caller.organizationId);
      return {
        status: 200,
        data: {
          period: new Date(clock()).toISOString().slice(0, 7),
          plan,
          links: { used: activeUrls, included: plans[plan].linkBundle },
        },
      };
    },
  };
}
