import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../contract/api-error.js';
import { StorageUnavailableError } from '../storage/database.js';
import { type Limit, type LimitStore, MemoryLimits } from '../storage/limits.js';
import { AttemptLimiter } from './attempt-limiter.js';

const limit: Limit = { name: 'tests', units: 3, windowMs: 60_000, restores: 'at once' };
const newLimiter = (store: LimitStore = new MemoryLimits(() => 0)) =>
  new AttemptLimiter(limit, store);

/** Returns true if an attempt is allowed. */
async function isAllowed(limiter: AttemptLimiter, key = 'a', isCorrect = false): Promise<boolean> {
  try {
    await limiter.take(key, isCorrect);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error;
    return false;
  }
}

describe('AttemptLimiter', () => {
  it('allows the attempts of a window, then says how long to wait', async () => {
    let now = 0;
    const limiter = newLimiter(new MemoryLimits(() => now));
    for (let at = 0; at < 3; at += 1) await limiter.take('a');
    now = 30_000;
    await expect(limiter.take('a')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: 'Too many attempts. Try again in 30 seconds.',
      headers: { 'Retry-After': '30', 'RateLimit-Limit': '3', 'RateLimit-Remaining': '0' },
    });
    now = 60_000;
    expect(await isAllowed(limiter)).toBe(true);
  });

  it('counts each client key separately', async () => {
    const limiter = newLimiter();
    for (let at = 0; at < 4; at += 1) await isAllowed(limiter, 'a');
    expect(await isAllowed(limiter, 'b')).toBe(true);
  });

  it('does not count an attempt that is uncounted', async () => {
    const limiter = newLimiter();
    for (let at = 0; at < 10; at += 1) await (await limiter.take('a'))();
    for (let at = 0; at < 3; at += 1) expect(await isAllowed(limiter)).toBe(true);
    expect(await isAllowed(limiter)).toBe(false);
  });

  it('does not count correct attempts, and refuses them too while the limit is reached', async () => {
    const limiter = newLimiter();
    for (let at = 0; at < 64; at += 1) expect(await isAllowed(limiter, 'a', true)).toBe(true);
    for (let at = 0; at < 3; at += 1) expect(await isAllowed(limiter)).toBe(true);
    expect(await isAllowed(limiter, 'a', true)).toBe(false);
  });

  it('allows nothing that it cannot count', async () => {
    const error = new StorageUnavailableError('storage is unavailable');
    const store = { isShared: true, take: () => Promise.reject(error), refund: () => {} };
    await expect(newLimiter(store).take('a')).rejects.toBe(error);
  });

  it('allows what it has counted, also if it cannot be uncounted', async () => {
    const memory = new MemoryLimits(() => 0);
    const error = new StorageUnavailableError('storage is unavailable');
    const uncount = await newLimiter({
      isShared: true,
      take: (...args) => memory.take(...args),
      refund: () => Promise.reject(error),
    }).take('a');
    await expect(uncount()).resolves.toBeUndefined();
  });

  it('several nodes never allow more failed attempts in one window of a client key', async () => {
    const attempts = fc.array(
      fc.record({
        node: fc.nat(3),
        key: fc.constantFrom('a', 'b'),
        // Most attempts are concurrent.
        passedMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(30_000)),
        isVerified: fc.boolean(),
        isCorrect: fc.boolean(),
      }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(attempts, async (visits) => {
        let now = 0;
        const memory = new MemoryLimits(() => now);
        const nodes = Array.from({ length: 4 }, () => newLimiter(memory));
        const failed = new Map<string, { endsAt: number; count: number }>();
        const running: Promise<unknown>[] = [];
        for (const { node, key, passedMs, isVerified, isCorrect } of visits) {
          if (passedMs > 0) await Promise.all(running.splice(0));
          now += passedMs;
          const window = failed.get(key);
          if (!window || window.endsAt <= now) {
            failed.set(key, { endsAt: now + limit.windowMs, count: 0 });
          }
          const limiter = nodes[node] as AttemptLimiter;
          const attempt = async () => {
            // A secret is compared before it counts, or a password after.
            const uncount = await limiter.take(key, isVerified && isCorrect);
            if (!isVerified && isCorrect) await uncount();
            if (!isCorrect) (failed.get(key) as { count: number }).count += 1;
          };
          running.push(attempt().catch(() => {}));
        }
        await Promise.all(running);
        for (const { count } of failed.values()) expect(count).toBeLessThanOrEqual(limit.units);
      }),
    );
  });
});
