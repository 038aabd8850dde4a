import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApiError } from '../contract/api-error.js';
import { createRateLimiter, type RateLimiter } from './rate-limiter.js';

const newLimiter = (perMinute: number) => createRateLimiter(perMinute, 'An organization may make');

/** Returns the remaining requests, or the seconds to wait as a negative number. */
function take(limiter: RateLimiter, now: number, key = 'a'): number {
  try {
    return limiter.take(key, now).remaining;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error;
    return -Number(error.headers['Retry-After']);
  }
}

it('accepts in any interval at most the limit and what is restored in it', () => {
  const limits = fc.integer({ min: 1, max: 60 });
  const passed = fc.array(fc.nat(20_000), { maxLength: 100 });
  fc.assert(
    fc.property(limits, passed, (perMinute, steps) => {
      const limiter = newLimiter(perMinute);
      let now = 0;
      const accepted = steps.flatMap((ms) => {
        now += ms % 3 === 0 ? 0 : ms;
        return take(limiter, now) < 0 ? [] : [now];
      });
      for (const [from, first] of accepted.entries()) {
        for (const [at, time] of accepted.slice(from).entries()) {
          expect(at + 1).toBeLessThanOrEqual(perMinute + ((time - first) * perMinute) / 60_000);
        }
      }
    }),
  );
});

it('forgets the least recently active of very many addresses', () => {
  const limiter = newLimiter(1);
  for (let at = 0; at <= 100_000; at += 1) take(limiter, 0, `address ${at}`);
  // The first one was evicted, and the last one was not.
  expect(take(limiter, 0, 'address 100000')).toBe(-60);
  expect(take(limiter, 0, 'address 0')).toBe(0);
});
