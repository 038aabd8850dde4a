import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../contract/api-error.js';
import { RateLimiter } from './rate-limiter.js';

/** Returns the remaining requests, or the seconds to wait as a negative number. */
function take(limiter: RateLimiter, now: number, organization = 'a'): number {
  try {
    return limiter.take(organization, now).remaining;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error;
    return -Number(error.headers['Retry-After']);
  }
}

describe('RateLimiter', () => {
  it('accepts all requests of a minute at once, and refuses the next one with the time to wait', () => {
    const limiter = new RateLimiter(3);
    expect([0, 0, 0, 0].map((now) => take(limiter, now))).toEqual([2, 1, 0, -20]);
    expect(take(limiter, 19_999)).toBe(-1);
    expect(take(limiter, 20_000)).toBe(0);
  });

  it('restores capacity evenly, up to that of one minute', () => {
    const limiter = new RateLimiter(60);
    for (let count = 0; count < 60; count += 1) take(limiter, 0);
    expect([1_000, 1_000, 5_000].map((now) => take(limiter, now))).toEqual([0, -1, 3]);
    expect(take(limiter, 10_000_000)).toBe(59);
  });

  it('returns the time until the full limit is available', () => {
    const limiter = new RateLimiter(60);
    expect(limiter.take('a', 0)).toEqual({
      limit: 60,
      windowSeconds: 60,
      remaining: 59,
      resetSeconds: 1,
    });
    expect(limiter.take('a', 0)).toMatchObject({ remaining: 58, resetSeconds: 2 });
  });

  it('counts each organization separately', () => {
    const limiter = new RateLimiter(1);
    expect(['a', 'b', 'a'].map((organization) => take(limiter, 0, organization))).toEqual([
      0, 0, -60,
    ]);
  });

  it('does not extend the wait for refused requests', () => {
    const limiter = new RateLimiter(1);
    for (let now = 0; now < 60_000; now += 100) take(limiter, now);
    expect(take(limiter, 60_000)).toBe(0);
  });

  it('works when the clock is set back', () => {
    const limiter = new RateLimiter(2);
    expect([60_000, 0, 0].map((now) => take(limiter, now))).toEqual([1, 0, -30]);
    expect(take(limiter, 30_000)).toBe(0);
  });

  it('accepts the remaining requests, and one after the wait, and never exceeds the limit', () => {
    const limits = fc.integer({ min: 1, max: 100 });
    const pauses = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 10 });
    fc.assert(
      fc.property(limits, pauses, (perMinute, pausesMs) => {
        const limiter = new RateLimiter(perMinute);
        let now = 0;
        let accepted = 0;
        for (const pauseMs of pausesMs) {
          now += pauseMs;
          const left = take(limiter, now);
          if (left >= 0) {
            accepted += 1;
            for (let each = left; each > 0; each -= 1) {
              expect(take(limiter, now)).toBe(each - 1);
              accepted += 1;
            }
            expect(take(limiter, now)).toBeLessThan(0);
          } else {
            now += -left * 1000;
            expect(take(limiter, now)).toBeGreaterThanOrEqual(0);
            accepted += 1;
          }
          expect(accepted).toBeLessThanOrEqual(perMinute + Math.floor((now * perMinute) / 60_000));
        }
      }),
    );
  });
});
