import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../contract/api-error.js';
import { type Grant, type LimitStore, MemoryLimits } from '../storage/limits.js';
import { RateLimiter } from './rate-limiter.js';

const rule = 'An organization may make';
const newLimiter = (perMinute: number, store: LimitStore) =>
  new RateLimiter({ name: 'requests', perMinute, rule, store });

/** Returns the remaining requests, or the seconds to wait as a negative number. */
async function take(limiter: RateLimiter, now: number, organization = 'a'): Promise<number> {
  try {
    return (await limiter.take(organization, now)).remaining;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error;
    return -Number(error.headers['Retry-After']);
  }
}

describe('RateLimiter', () => {
  it('accepts all requests of a minute at once, and refuses the next one with the time to wait', async () => {
    let now = 0;
    const limiter = newLimiter(3, new MemoryLimits(() => now));
    const results: number[] = [];
    for (now of [0, 0, 0, 0, 19_999, 20_000]) results.push(await take(limiter, now));
    expect(results).toEqual([2, 1, 0, -20, -1, 0]);
  });

  it('returns the time until the full limit is available', async () => {
    const limiter = newLimiter(60, new MemoryLimits(() => 0));
    expect(await limiter.take('a', 0)).toEqual({
      limit: 60,
      windowSeconds: 60,
      remaining: 59,
      resetSeconds: 1,
    });
    expect(await limiter.take('a', 0)).toMatchObject({ remaining: 58, resetSeconds: 2 });
  });

  it('counts each organization separately', async () => {
    const limiter = newLimiter(1, new MemoryLimits(() => 0));
    const results = [];
    for (const organization of ['a', 'b', 'a']) results.push(await take(limiter, 0, organization));
    expect(results).toEqual([0, 0, -60]);
  });
});

/** A store of several nodes, whose statements take a turn of the event loop. */
class SlowLimits implements LimitStore {
  readonly isShared = true;
  statements = 0;
  readonly #memory: MemoryLimits;

  constructor(clock: () => number) {
    this.#memory = new MemoryLimits(clock);
  }

  async take(...args: Parameters<MemoryLimits['take']>): Promise<Grant> {
    this.statements += 1;
    await new Promise((resolve) => setImmediate(resolve));
    return this.#memory.take(...args);
  }

  refund(): void {}
}

describe('RateLimiter of several nodes', () => {
  it('asks the store once for a hundredth of the limit', async () => {
    const store = new SlowLimits(() => 0);
    const limiter = newLimiter(1000, store);
    const first = await limiter.take('a', 0);
    expect(first).toMatchObject({ remaining: 999, resetSeconds: 1 });
    for (let at = 1; at < 11; at += 1) expect(await take(limiter, 0)).toBe(999 - at);
    expect(store.statements).toBe(1);
    expect(await take(limiter, 0)).toBe(988);
    expect(store.statements).toBe(2);
  });

  it('asks the store once for the requests of one turn', async () => {
    const store = new SlowLimits(() => 0);
    const limiter = newLimiter(60, store);
    const results = await Promise.all(Array.from({ length: 80 }, () => take(limiter, 0)));
    expect(results.filter((left) => left >= 0)).toHaveLength(60);
    expect(store.statements).toBeLessThan(5);
  });

  it('refuses requests without asking the store until capacity is restored', async () => {
    let now = 0;
    const store = new SlowLimits(() => now);
    const limiter = newLimiter(2, store);
    expect([await take(limiter, 0), await take(limiter, 0), await take(limiter, 0)]).toEqual([
      1, 0, -30,
    ]);
    const { statements } = store;
    expect(await take(limiter, 10_000)).toBe(-20);
    expect(store.statements).toBe(statements);
    now = 30_000;
    expect(await take(limiter, now)).toBe(0);
  });

  it('refuses on all nodes what it refuses on one', async () => {
    const store = new SlowLimits(() => 0);
    const [first, second] = [newLimiter(20, store), newLimiter(20, store)];
    for (let at = 0; at < 20; at += 1) await first.take('a', 0);
    expect(await take(first, 0)).toBe(-3);
    expect(await take(second, 0)).toBe(-3);
  });

  it('fails all waiting requests with the error of the store', async () => {
    const error = new Error('storage is unavailable');
    const limiter = newLimiter(60, {
      isShared: true,
      take: () => Promise.reject(error),
      refund: () => {},
    });
    const results = await Promise.allSettled([limiter.take('a', 0), limiter.take('a', 0)]);
    expect(results.map((result) => 'reason' in result && result.reason)).toEqual([error, error]);
  });

  it('accepts in any interval at most the limit, what is restored, and a hundredth of a node in advance', async () => {
    const bursts = fc.array(
      fc.record({
        node: fc.nat(4),
        requests: fc.integer({ min: 1, max: 150 }),
        passedMs: fc.oneof(fc.constant(0), fc.nat(20_000)),
      }),
      { minLength: 1, maxLength: 25 },
    );
    const limits = fc.integer({ min: 1, max: 600 });
    const nodeCounts = fc.integer({ min: 1, max: 5 });
    await fc.assert(
      fc.asyncProperty(limits, nodeCounts, bursts, async (perMinute, nodeCount, sent) => {
        let now = 0;
        const store = new SlowLimits(() => now);
        const nodes = Array.from({ length: nodeCount }, () => newLimiter(perMinute, store));
        const accepted: { at: number; count: number }[] = [];
        for (const [index, { node, requests, passedMs }] of sent.entries()) {
          now += passedMs;
          const limiter = nodes[node % nodeCount] as RateLimiter;
          // At the same time, another node gets as many.
          const other = nodes[(node + index) % nodeCount] as RateLimiter;
          const results = await Promise.all(
            Array.from({ length: requests }, () => [take(limiter, now), take(other, now)]).flat(),
          );
          accepted.push({ at: now, count: results.filter((left) => left >= 0).length });
        }
        const inAdvance = nodeCount * Math.floor(perMinute / 100);
        for (const [from, first] of accepted.entries()) {
          let sum = 0;
          for (const { at, count } of accepted.slice(from)) {
            sum += count;
            const restored = ((at - first.at) * perMinute) / 60_000;
            // Nothing is leased before the first request.
            const bound = perMinute + restored + (from === 0 ? 0 : inAdvance);
            expect(sum).toBeLessThanOrEqual(bound);
          }
        }
        // All that is left can be used: nothing is lost.
        now += 60_000;
        const all = await Promise.all(
          nodes.flatMap((limiter) =>
            Array.from({ length: perMinute + 10 }, () => take(limiter, now)),
          ),
        );
        expect(all.filter((left) => left >= 0).length).toBeGreaterThanOrEqual(perMinute);
      }),
      { numRuns: 40 },
    );
  });
});
