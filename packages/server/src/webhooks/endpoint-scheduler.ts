import type { Claim } from '../storage/due-deliveries.js';
import type { EndpointQueue } from './endpoint-queue.js';

/** The maximum number of deliveries in memory. It also limits the open sockets. */
export const capacity = 2_048;
/** The part of the capacity that is reserved for new, slow and hanging endpoints. */
export const slowCapacity = 512;
/** The maximum number of slow endpoints that claim in one transaction. It limits its duration. */
export const slowClaimsAtOnce = 2;
// An organization gets at most this share of the free capacity (dynamic threshold), so some capacity
// remains for organizations that use none yet.
const shareOfFree = 1 / 4;

export interface PlannedClaim extends Claim {
  readonly queue: EndpointQueue;
}

/** The capacity that an endpoint uses. New endpoints and those that hang use that of slow ones. */
export type EndpointKind = 'answering' | 'slow';

/** Deliveries in memory, by the capacity that they use. */
type Usage = Record<EndpointKind, number>;

/** The capacity that one organization uses, and its endpoints that can claim. */
interface OrganizationUsage extends Usage {
  /**
   * Deliveries of slow endpoints beyond the first of each. They were claimed while the endpoint
   * responded in time, so they also count in the organization's share of that capacity.
   */
  hung: number;
  readonly waiting: EndpointQueue[];
}

/**
 * Decides which endpoints of a kind claim deliveries now: round robin among organizations, and among
 * the endpoints of each organization. Slow and new endpoints have a reserved capacity. `queues` has the queues by
 * webhook, the least recently served first. Each endpoint that claims moves to the end.
 */
export function planClaims(queues: Map<string, EndpointQueue>, kind: EndpointKind): PlannedClaim[] {
  const byOrganization = new Map<string, OrganizationUsage>();
  const total: Usage = { answering: 0, slow: 0 };
  for (const queue of queues.values()) {
    const { endpoint, held } = queue;
    const usage = byOrganization.get(endpoint.organizationId) ?? {
      answering: 0,
      slow: 0,
      hung: 0,
      waiting: [],
    };
    // The organization of the most recently served endpoint comes last.
    byOrganization.delete(endpoint.organizationId);
    byOrganization.set(endpoint.organizationId, usage);
    total[kindOf(queue)] += held;
    usage[kindOf(queue)] += held;
    if (!queue.isAnswering) usage.hung += Math.max(0, held - 1);
    if (kindOf(queue) === kind && queue.claimable > 0) usage.waiting.push(queue);
  }
  let organizations = [...byOrganization.values()];
  const claims: PlannedClaim[] = [];
  // Each round gives every organization at most one claim.
  while (organizations.length > 0) {
    organizations = organizations.filter((organization) => {
      const { waiting } = organization;
      for (let queue = waiting.shift(); queue; queue = waiting.shift()) {
        if (kind === 'slow' && claims.length >= slowClaimsAtOnce) return false;
        const count = countFor(queue, organization, total);
        if (count <= 0) continue;
        total[kind] += count;
        organization[kind] += count;
        claims.push({ webhookId: queue.endpoint.webhookId, count, queue });
        return true;
      }
      return false;
    });
  }
  for (const { webhookId, queue } of claims) {
    queues.delete(webhookId);
    queues.set(webhookId, queue);
  }
  return claims;
}

function kindOf({ isAnswering }: EndpointQueue): EndpointKind {
  return isAnswering ? 'answering' : 'slow';
}

/** Returns how many deliveries an endpoint may claim. The result can be negative, which means none. */
function countFor(queue: EndpointQueue, organization: OrganizationUsage, total: Usage): number {
  const { answering, slow } = total;
  // Only slow and new endpoints use the reserved capacity.
  const free = queue.isAnswering
    ? capacity - answering - Math.max(slow, slowCapacity)
    : Math.min(slowCapacity - slow, capacity - slow - answering);
  const used = queue.isAnswering ? organization.answering + organization.hung : organization.slow;
  const share = Math.max(1, Math.floor(free * shareOfFree));
  return Math.min(queue.claimable, free, share - used);
}
