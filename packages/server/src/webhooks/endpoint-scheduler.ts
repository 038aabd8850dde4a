import type { Claim } from '../storage/database.js';
import type { Endpoint } from './attempt.js';
import { EndpointQueue } from './endpoint-queue.js';

/** The maximum number of deliveries in memory. It also limits the open sockets. */
export const capacity = 2_048;
/** The part of the capacity that is reserved for new, slow and hanging endpoints. */
export const slowCapacity = 512;
/** The maximum number of slow endpoints that claim in one transaction. It limits its duration. */
export const slowClaimsAtOnce = 32;
// An organization gets at most this share of the free capacity (dynamic threshold), so some capacity
// remains for organizations that use none yet.
const shareOfFree = 1 / 4;

export interface PlannedClaim extends Claim {
  readonly queue: EndpointQueue;
}

/** Deliveries in memory, by the capacity that they use. */
interface Usage {
  answering: number;
  slow: number;
}

/**
 * Decides which endpoints claim deliveries: round robin among organizations, and among the endpoints
 * of each organization. Slow and new endpoints have a reserved capacity.
 */
export class EndpointScheduler {
  /** Queues by organization and webhook, the least recently served first. */
  readonly #organizations = new Map<string, Map<string, EndpointQueue>>();

  get(endpoint: Endpoint): EndpointQueue | undefined {
    return this.#organizations.get(endpoint.organizationId)?.get(endpoint.webhookId);
  }

  add(endpoint: Endpoint): EndpointQueue {
    const { organizationId, webhookId } = endpoint;
    let endpoints = this.#organizations.get(organizationId);
    if (!endpoints) {
      endpoints = new Map();
      this.#organizations.set(organizationId, endpoints);
    }
    const queue = new EndpointQueue(endpoint);
    endpoints.set(webhookId, queue);
    return queue;
  }

  remove({ endpoint: { organizationId, webhookId } }: EndpointQueue): void {
    const endpoints = this.#organizations.get(organizationId);
    endpoints?.delete(webhookId);
    if (endpoints?.size === 0) this.#organizations.delete(organizationId);
  }

  *queues(): Generator<EndpointQueue> {
    for (const endpoints of this.#organizations.values()) yield* endpoints.values();
  }

  /** Returns the claims to make now. Each endpoint that claims moves to the end of the order. */
  plan(): PlannedClaim[] {
    let organizations = Array.from(this.#organizations.values(), usageOf);
    const total = {
      answering: organizations.reduce((sum, { answering }) => sum + answering, 0),
      slow: organizations.reduce((sum, { slow }) => sum + slow, 0),
    };
    let slowClaims = 0;
    const claims: PlannedClaim[] = [];
    // Each round gives every organization at most one claim.
    while (organizations.length > 0) {
      organizations = organizations.filter((organization) => {
        const { waiting } = organization;
        for (let queue = waiting.shift(); queue; queue = waiting.shift()) {
          const kind = queue.isAnswering ? 'answering' : 'slow';
          if (kind === 'slow' && slowClaims >= slowClaimsAtOnce) continue;
          const count = countFor(queue, organization, total);
          if (count <= 0) continue;
          if (kind === 'slow') slowClaims += 1;
          total[kind] += count;
          organization[kind] += count;
          claims.push({ webhookId: queue.endpoint.webhookId, count, queue });
          return true;
        }
        return false;
      });
    }
    for (const { queue } of claims) this.#moveToEnd(queue);
    return claims;
  }

  #moveToEnd({ endpoint: { organizationId, webhookId } }: EndpointQueue): void {
    const endpoints = this.#organizations.get(organizationId);
    const queue = endpoints?.get(webhookId);
    if (!endpoints || !queue) return;
    endpoints.delete(webhookId);
    endpoints.set(webhookId, queue);
    this.#organizations.delete(organizationId);
    this.#organizations.set(organizationId, endpoints);
  }
}

/** The capacity that one organization uses, and its endpoints that can claim. */
interface OrganizationUsage extends Usage {
  /**
   * Deliveries of slow endpoints beyond the first of each. They were claimed while the endpoint
   * responded in time, so they also count in the organization's share of that capacity.
   */
  hung: number;
  readonly waiting: EndpointQueue[];
}

function usageOf(endpoints: ReadonlyMap<string, EndpointQueue>): OrganizationUsage {
  const usage: OrganizationUsage = { answering: 0, slow: 0, hung: 0, waiting: [] };
  for (const queue of endpoints.values()) {
    const { held, isAnswering } = queue;
    usage[isAnswering ? 'answering' : 'slow'] += held;
    if (!isAnswering) usage.hung += Math.max(0, held - 1);
    if (queue.claimable > 0) usage.waiting.push(queue);
  }
  return usage;
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
