import { describe, expect, it } from 'vitest';
import { type AttemptOutcome, type ClaimedDelivery, causeOfStatus } from './attempt.js';
import type { Endpoint } from './delivery-queue.js';
import { EndpointQueue } from './endpoint-queue.js';

const endpoint: Endpoint = {
  webhookId: 'webhook',
  organizationId: 'organization',
  url: 'https://receiver.example/',
  headers: null,
  secret: 'secret',
  previousSecrets: [],
  hasSucceeded: false,
  dueAt: 0,
};

const deliveries = (count: number): ClaimedDelivery[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `delivery-${at}`,
    webhookId: endpoint.webhookId,
    organizationId: 'organization',
    isCharged: 1,
    eventType: 'url.created',
    body: '{}',
    attempts: 0,
  }));

function outcomeOf(
  delivery: ClaimedDelivery,
  statusCode: number | null,
  durationMs = 1,
): AttemptOutcome {
  const isSuccess = statusCode === 200;
  const error = isSuccess ? null : 'failed';
  const cause = isSuccess ? null : statusCode === null ? 'timeout' : causeOfStatus(statusCode);
  const rest = {
    url: endpoint.url,
    attemptedAt: 0,
    durationMs,
    responseBody: null,
    nextAttemptAt: null,
  };
  return { delivery, statusCode, cause, error, ...rest };
}

function newQueue(): EndpointQueue {
  const queue = new EndpointQueue(endpoint);
  queue.hasMore = true;
  return queue;
}

interface Attempts {
  readonly count: number;
  readonly statusCode: number | null;
  readonly isSlow?: boolean;
  readonly durationMs?: number;
}

function attempt(queue: EndpointQueue, attempts: Attempts): void {
  const { count, statusCode, isSlow = false, durationMs } = attempts;
  for (let made = 0; made < count; made += 1) {
    queue.add(deliveries(1));
    const next = queue.next();
    if (!next) throw new Error('no slot is free');
    if (isSlow) queue.markSlow();
    queue.finish(outcomeOf(next, statusCode, durationMs), isSlow);
  }
}

/** Makes attempts one after another. Returns how many deliveries are then sent concurrently. */
function slotsAfter(...attempts: readonly Attempts[]): number {
  const queue = newQueue();
  for (const each of attempts) attempt(queue, each);
  queue.add(deliveries(100));
  let slots = 0;
  while (queue.next()) slots += 1;
  return slots;
}

const manyAnswers = { count: 100, statusCode: 200, durationMs: 100 };
const manyQuickAnswers = { count: 100, statusCode: 200, durationMs: 99 };

describe('the slots of an endpoint', () => {
  it.each<[string, readonly Attempts[], number]>([
    ['2 at first', [], 2],
    ['one more for each success', [{ count: 3, statusCode: 200 }], 5],
    ['16 at most', [manyAnswers], 16],
    ['64 at most for quick answers', [manyQuickAnswers], 64],
    [
      'fewer with each answer that is not quick',
      [manyQuickAnswers, { ...manyAnswers, count: 9 }],
      55,
    ],
    ['16 again after many of those', [manyQuickAnswers, manyAnswers], 16],
    ['unchanged after a quick error response', [manyAnswers, { count: 9, statusCode: 500 }], 16],
    ['half as many after a broken connection', [manyAnswers, { count: 1, statusCode: null }], 8],
    ['never fewer than 1', [manyAnswers, { count: 99, statusCode: null }], 1],
    ['1 after a time-out', [manyAnswers, { count: 1, statusCode: null, isSlow: true }], 1],
    ['4 at most for slow answers', [manyAnswers, { count: 9, statusCode: 200, isSlow: true }], 4],
    ['up to 4 again', [{ count: 1, statusCode: null, isSlow: true }, manyAnswers], 16],
  ])('are %s', (_name, attempts, slots) => {
    expect(slotsAfter(...attempts)).toBe(slots);
  });
});

describe('an endpoint claims', () => {
  it('nothing while nothing is due', () => {
    expect(new EndpointQueue(endpoint).claimable).toBe(0);
  });

  it('one delivery for each slot until its first response', () => {
    const queue = newQueue();
    expect(queue.claimable).toBe(2);
    queue.add(deliveries(2));
    expect(queue.claimable).toBe(0);
    const [first, second] = [queue.next(), queue.next()];
    if (!first || !second) throw new Error('no slot is free');
    queue.finish(outcomeOf(first, 500), false);
    expect(queue.isAnswering).toBe(true);
    expect(queue.claimable).toBe(2 * 4 - 1);
  });

  it.each([
    ['as many as its slots need after few', 5, 28],
    ['twice what was finished since the last claim', 40, 80],
    ['no more than 16 for each slot', 200, 7 * 16],
  ])('%s when it responds in time', (_name, finished, claimable) => {
    const queue = newQueue();
    attempt(queue, { count: 5, statusCode: 200 });
    queue.add(deliveries(finished));
    for (let next = queue.next(); next; next = queue.next()) {
      queue.finish(outcomeOf(next, 503), false);
    }
    expect(queue.claimable).toBe(claimable);
    queue.add(deliveries(claimable));
    expect(queue.claimable).toBe(0);
  });

  it('no more than 512 when it responds quickly', () => {
    const queue = newQueue();
    attempt(queue, manyQuickAnswers);
    queue.add(deliveries(400));
    for (let next = queue.next(); next; next = queue.next()) {
      queue.finish(outcomeOf(next, 200), false);
    }
    expect(queue.claimable).toBe(512);
  });

  it('one delivery at a time when it hangs, and releases those that wait', () => {
    const queue = newQueue();
    attempt(queue, manyAnswers);
    queue.add(deliveries(50));
    const inFlight = Array.from({ length: 16 }, () => queue.next() as ClaimedDelivery);
    expect(queue.markSlow()).toBe(50 - 16);
    expect([queue.isAnswering, queue.isSlow, queue.held, queue.claimable]).toEqual([
      false,
      true,
      16,
      0,
    ]);
    for (const each of inFlight.slice(1)) {
      queue.markSlow();
      queue.finish(outcomeOf(each, null), true);
    }
    // The first one is still in flight.
    expect([queue.held, queue.claimable]).toEqual([1, 0]);
    queue.finish(outcomeOf(inFlight[0] as ClaimedDelivery, null), true);
    expect([queue.held, queue.claimable]).toEqual([0, 1]);
  });

  it('as a slow endpoint while an attempt hangs, also after a response in time', () => {
    const queue = newQueue();
    attempt(queue, manyAnswers);
    queue.add(deliveries(2));
    const [, answered] = [queue.next(), queue.next() as ClaimedDelivery];
    queue.markSlow();
    queue.finish(outcomeOf(answered, 200), false);
    expect(queue.isAnswering).toBe(false);
  });
});
