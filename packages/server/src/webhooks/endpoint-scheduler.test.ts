import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttemptOutcome, ClaimedDelivery } from './attempt.js';
import type { Endpoint } from './delivery-queue.js';
import { EndpointQueue } from './endpoint-queue.js';
import {
  capacity,
  type PlannedClaim,
  planClaims,
  slowCapacity,
  slowClaimsAtOnce,
} from './endpoint-scheduler.js';

const endpointOf = (organizationId: string, webhookId: string): Endpoint => ({
  webhookId,
  organizationId,
  url: 'https://receiver.example/',
  headers: null,
  secret: 'secret',
  previousSecrets: [],
  hasSucceeded: false,
  dueAt: 0,
});

const deliveryOf = ({ webhookId, organizationId }: Endpoint): ClaimedDelivery => ({
  id: 'delivery',
  webhookId,
  organizationId,
  isCharged: 1,
  eventType: 'url.created',
  body: '{}',
  attempts: 0,
});

const answered: Omit<AttemptOutcome, 'delivery'> = {
  url: 'https://receiver.example/',
  attemptedAt: 0,
  durationMs: 1,
  statusCode: 200,
  cause: null,
  error: null,
  responseBody: null,
  nextAttemptAt: null,
};
const timedOut: typeof answered = {
  ...answered,
  statusCode: null,
  cause: 'timeout',
  error: 'No response within 5000 ms',
};

/** Endpoints with an endless backlog, and attempts that the test ends. */
class World {
  readonly queues = new Map<string, EndpointQueue>();
  readonly slow = new Set<ClaimedDelivery>();
  readonly inFlight = new Map<EndpointQueue, ClaimedDelivery[]>();
  readonly #durationMs: number;

  constructor({ durationMs = 1 } = {}) {
    this.#durationMs = durationMs;
  }

  add(organizationId: string, webhookId: string): EndpointQueue {
    const queue = new EndpointQueue(endpointOf(organizationId, webhookId));
    this.queues.set(webhookId, queue);
    queue.hasMore = true;
    this.inFlight.set(queue, []);
    return queue;
  }

  /** Claims until no endpoint can claim, and sends as many deliveries as there are slots. */
  tick(): PlannedClaim[] {
    const claims = this.tickOnce();
    while (claims.length > 0) {
      const more = this.tickOnce();
      if (more.length === 0) break;
      claims.push(...more);
    }
    return claims;
  }

  tickOnce(): PlannedClaim[] {
    const claims = (['answering', 'slow'] as const).flatMap((kind) =>
      planClaims(this.queues, kind),
    );
    const slow = claims.filter(({ queue }) => !queue.isAnswering);
    expect(slow.length).toBeLessThanOrEqual(slowClaimsAtOnce);
    for (const { queue, count } of claims) {
      queue.add(Array.from({ length: count }, () => deliveryOf(queue.endpoint)));
      this.send(queue);
    }
    return claims;
  }

  send(queue: EndpointQueue): void {
    for (let next = queue.next(); next; next = queue.next()) this.inFlight.get(queue)?.push(next);
  }

  /** Ends the attempts in flight of an endpoint. */
  finish(queue: EndpointQueue, hangs: boolean): void {
    for (const delivery of this.inFlight.get(queue)?.splice(0) ?? []) {
      if (hangs && !this.slow.has(delivery)) queue.markSlow();
      queue.finish(
        { ...(hangs ? timedOut : answered), durationMs: this.#durationMs, delivery },
        hangs || this.slow.has(delivery),
      );
    }
    if (!hangs) this.send(queue);
  }

  /** The attempts in flight of an endpoint become slow. */
  slowDown(queue: EndpointQueue): void {
    for (const delivery of this.inFlight.get(queue) ?? []) {
      if (this.slow.has(delivery)) continue;
      this.slow.add(delivery);
      queue.markSlow();
    }
  }

  /** Claims until the endpoint has all its slots. */
  warmUp(queue: EndpointQueue): void {
    for (let turn = 0; turn < 20; turn += 1) {
      this.tick();
      this.finish(queue, false);
    }
  }

  get held(): number {
    return [...this.queues.values()].reduce((sum, { held }) => sum + held, 0);
  }
}

function hang(world: World, organizations: number, endpoints: number): EndpointQueue[] {
  const hanging: EndpointQueue[] = [];
  for (let at = 0; at < organizations; at += 1) {
    for (let each = 0; each < endpoints; each += 1) {
      hanging.push(world.add(`hanging-${at}`, `${at}-${each}`));
    }
  }
  return hanging;
}

describe('endpoints that hang', () => {
  it.each([
    ['400 of one organization', 1, 400],
    ['400 of eight organizations', 8, 50],
    ['4,000 of eighty organizations', 80, 50],
    ['4,000 of as many organizations', 4_000, 1],
  ])('%s take no capacity from an endpoint that answers', (_name, organizations, endpoints) => {
    const world = new World();
    const healthy = world.add('healthy', 'healthy');
    world.warmUp(healthy);
    const hanging = hang(world, organizations, endpoints);
    for (let turn = 0; turn < 10; turn += 1) {
      world.finish(healthy, false);
      const claimed = world.tick().find(({ queue }) => queue === healthy);
      // As many as its slots can send.
      expect(claimed?.count).toBeGreaterThanOrEqual(16);
      expect(healthy.claimable).toBe(0);
      expect(world.held - healthy.held).toBeLessThanOrEqual(slowCapacity);
      for (const queue of hanging) world.finish(queue, true);
    }
  });

  it('of many organizations leave capacity for a new endpoint of another one', () => {
    const world = new World();
    hang(world, 80, 50);
    world.tick();
    world.tick();
    const fresh = world.add('fresh', 'fresh');
    expect(world.tick().map(({ queue, count }) => [queue, count])).toContainEqual([fresh, 2]);
  });

  it('all claim within 20 ticks', () => {
    const world = new World();
    const hanging = hang(world, 80, 50);
    const served = new Set<EndpointQueue>();
    for (let turn = 0; turn < 20; turn += 1) {
      for (const { queue } of world.tick()) served.add(queue);
      for (const queue of hanging) world.finish(queue, true);
    }
    expect(served.size).toBe(4_000);
  });

  it('leave capacity for others even if they had all their slots before', () => {
    const world = new World();
    const healthy = world.add('healthy', 'healthy');
    world.warmUp(healthy);
    const traps = hang(world, 40, 50);
    for (let turn = 0; turn < 30; turn += 1) {
      world.tick();
      for (const queue of traps) world.finish(queue, false);
    }
    // From here on, no trap responds, and its attempts in flight are slow.
    for (let turn = 0; turn < 10; turn += 1) {
      world.tick();
      for (const queue of traps) world.slowDown(queue);
      world.finish(healthy, false);
      world.tick();
      // It uses at least the slots of an endpoint that is not quick.
      expect(world.inFlight.get(healthy)?.length).toBeGreaterThanOrEqual(16);
      expect(world.held).toBeLessThanOrEqual(capacity);
    }
  });
});

describe('endpoints that answer', () => {
  it('claim as much as they can send beside an organization with more endpoints', () => {
    const world = new World({ durationMs: 100 });
    const many = hang(world, 1, 50);
    const few = [world.add('few', 'few-1'), world.add('few', 'few-2')];
    const claimed = { many: 0, few: 0 };
    for (let turn = 0; turn < 60; turn += 1) {
      for (const { queue, count } of world.tick()) {
        claimed[few.includes(queue) ? 'few' : 'many'] += count;
      }
      for (const queue of [...many, ...few]) world.finish(queue, false);
    }
    world.tick();
    // Two endpoints that are not quick need less than half of the capacity.
    for (const queue of few) expect(queue.claimable).toBe(0);
    expect(claimed.many).toBeGreaterThan(claimed.few);
    const held = many.reduce((sum, queue) => sum + queue.held, 0);
    expect(held).toBeLessThanOrEqual((capacity - slowCapacity) / 4 + 1);
  });
});

describe('in any sequence', () => {
  it('no more deliveries are in memory than the capacity', () => {
    const step = fc.record({
      endpoint: fc.nat(119),
      what: fc.constantFrom('answer', 'hang', 'slow', 'tick'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const world = new World();
        const queues = hang(world, 12, 10);
        for (const { endpoint, what } of steps) {
          const queue = queues[endpoint] as EndpointQueue;
          if (what === 'tick') world.tick();
          else if (what === 'slow') world.slowDown(queue);
          else world.finish(queue, what === 'hang');
          expect(world.held).toBeLessThanOrEqual(capacity);
        }
      }),
    );
  });
});
