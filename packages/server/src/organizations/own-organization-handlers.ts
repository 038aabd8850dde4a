import type { z } from 'zod';
import { noOrganization } from '../auth/client-service.js';
import { presentAs } from '../contract/present.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Clock } from '../ports.js';
import type { Organization, OrganizationRepository } from './organization-repository.js';
import { ownOrganization, type ownOrganizationRoutes } from './own-organization-contract.js';

export interface OwnOrganizationHandlerOptions {
  readonly organizations: Pick<OrganizationRepository, 'get' | 'update'>;
  readonly clock: Clock;
  /** Called after a change of the excluded addresses, before the response. */
  readonly onAddressesChanged: (organizationId: string) => void;
}

/** Reads and changes the settings of the caller's organization. */
export function ownOrganizationHandlers({
  organizations,
  clock,
  onAddressesChanged,
}: OwnOrganizationHandlerOptions): HandlersOf<typeof ownOrganizationRoutes> {
  return {
    async getOwnOrganization({ caller: { organizationId } }) {
      return { status: 200, data: toOwnOrganization(await organizations.get(organizationId)) };
    },

    async updateOwnOrganization({ caller: { organizationId }, body, write }) {
      try {
        const { result, replayed } = await organizations.update(
          organizationId,
          body,
          clock(),
          write,
        );
        if (!result) throw noOrganization(organizationId, replayed);
        return { status: 200, replayed, data: toOwnOrganization(result.organization) };
      } finally {
        // Also after an error, because the commit may have succeeded before the connection failed.
        if (body.excludeAddresses) onAddressesChanged(organizationId);
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
