import type { Claim } from '../storage/database.js';
import type { Endpoint } from './attempt.js';
import { EndpointQueue } from './endpoint-queue.js';

/** The most deliveries in memory. It also limits the open sockets. */
export const capacity = 2_048;
/** The part of the capacity that is reserved for new, slow and hanging endpoints. */
export const slowCapacity = 512;
/** The most slow endpoints that claim in one transaction. It limits the transaction's duration. */
export const slowClaimsAtOnce = 32;
// An organization gets at most this share of the free capacity (dynamic threshold), so some capacity
// remains for organizations that use none yet.
const shareOfFree = 1 / 4;

export interface PlannedClaim extends Claim {
  readonly queue: EndpointQueue;
}

interface Usage {
  answering: number;
  slow: number;
}

interface Total extends Usage {
  /** Claims of slow endpoints in this plan. */
  slowClaims: number;
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
    const total: Total = { answering: 0, slow: 0, slowClaims: 0 };
    let turns: OrganizationTurn[] = [];
    for (const [organizationId, endpoints] of this.#organizations) {
      const turn = new OrganizationTurn(organizationId, endpoints);
      total.answering += turn.used.answering;
      total.slow += turn.used.slow;
      if (turn.waiting.length > 0) turns.push(turn);
    }
    const claims: PlannedClaim[] = [];
    while (turns.length > 0) {
      turns = turns.filter((turn) => {
        const claim = turn.claim(total);
        if (claim) claims.push(claim);
        return claim !== undefined;
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
class OrganizationTurn {
  readonly organizationId: string;
  readonly used: Usage = { answering: 0, slow: 0 };
  readonly waiting: EndpointQueue[] = [];
  /**
   * Deliveries of slow endpoints beyond the first of each. They were claimed while the endpoint
   * responded in time, so they also count in the organization's share of that capacity.
   */
  #hung = 0;

  constructor(organizationId: string, endpoints: ReadonlyMap<string, EndpointQueue>) {
    this.organizationId = organizationId;
    for (const queue of endpoints.values()) {
      const { held } = queue;
      if (queue.isAnswering) this.used.answering += held;
      else {
        this.used.slow += held;
        this.#hung += Math.max(0, held - 1);
      }
      if (queue.claimable > 0) this.waiting.push(queue);
    }
  }

  /** Returns a claim for the next endpoint that may claim, and adds it to the totals. */
  claim(total: Total): PlannedClaim | undefined {
    for (let queue = this.waiting.shift(); queue; queue = this.waiting.shift()) {
      const kind = queue.isAnswering ? 'answering' : 'slow';
      if (kind === 'slow' && total.slowClaims >= slowClaimsAtOnce) continue;
      const free = freeOf(kind, total);
      const used = kind === 'answering' ? this.used.answering + this.#hung : this.used.slow;
      const share = Math.max(1, Math.floor(free * shareOfFree));
      const count = Math.min(queue.claimable, free, share - used);
      if (count <= 0) continue;
      total[kind] += count;
      if (kind === 'slow') total.slowClaims += 1;
      this.used[kind] += count;
      return { webhookId: queue.endpoint.webhookId, count, queue };
    }
    return undefined;
  }
}

/** Returns the free capacity of a kind. Only slow endpoints use the reserved part. */
function freeOf(kind: keyof Usage, { answering, slow }: Usage): number {
  return kind === 'slow'
    ? Math.min(slowCapacity - slow, capacity - slow - answering)
    : capacity - answering - Math.max(slow, slowCapacity);
}
