import { scopes } from '../contract/define-route.js';
import { withIsoTimes } from '../contract/present.js';
import type { HandlersOf } from '../http/handlers.js';
import type { meRoutes } from './me-contract.js';
import type { OrganizationRepository } from './organization-repository.js';

export function meHandlers(
  organizations: Pick<OrganizationRepository, 'get'>,
): HandlersOf<typeof meRoutes> {
  return {
    async getMe({ caller: { organizationId, scopes: granted, client, apiKey } }) {
      const { id, name, plan } = await organizations.get(organizationId);
      return {
        status: 200,
        data: {
          organization: { id, name, plan },
          scopes: scopes.filter((scope) => granted.has(scope)),
          client,
          apiKey: apiKey && withIsoTimes(apiKey),
        },
      };
    },
  };
}
