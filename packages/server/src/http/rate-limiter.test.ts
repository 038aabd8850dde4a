import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../contract/api-error.js';
import { RateLimiter } from './rate-limiter.js';

/** What is left after the request, or the seconds that it has to wait, below 0. */
function take(limiter: RateLimiter, now: number, organization = 'a'): number {
  try {
    return limiter.take(organization, now).remaining;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error;
    return -Number(error.headers['Retry-After']);
  }
}

describe('RateLimiter', () => {
  it('lets a minute’s requests in at once, and tells the next one how long to wait', () => {
    const limiter = new RateLimiter(3);
    expect([0, 0, 0, 0].map((now) => take(limiter, now))).toEqual([2, 1, 0, -20]);
    expect(take(limiter, 19_999)).toBe(-1);
    expect(take(limiter, 20_000)).toBe(0);
  });

  it('gives back evenly, and never more than a minute’s', () => {
    const limiter = new RateLimiter(60);
    for (let count = 0; count < 60; count += 1) take(limiter, 0);
    expect([1_000, 1_000, 5_000].map((now) => take(limiter, now))).toEqual([0, -1, 3]);
    expect(take(limiter, 10_000_000)).toBe(59);
  });

  it('says when all is left again', () => {
    const limiter = new RateLimiter(60);
    expect(limiter.take('a', 0)).toEqual({
      limit: 60,
      windowSeconds: 60,
      remaining: 59,
      resetSeconds: 1,
    });
    expect(limiter.take('a', 0)).toMatchObject({ remaining: 58, resetSeconds: 2 });
  });

  it('counts organizations apart', () => {
    const limiter = new RateLimiter(1);
    expect(['a', 'b', 'a'].map((organization) => take(limiter, 0, organization))).toEqual([
      0, 0, -60,
    ]);
  });

  it('is not drawn out by those who do not wait', () => {
    const limiter = new RateLimiter(1);
    for (let now = 0; now < 60_000; now += 100) take(limiter, now);
    expect(take(limiter, 60_000)).toBe(0);
  });

  it('does not mind a clock that is set back', () => {
    const limiter = new RateLimiter(2);
    expect([60_000, 0, 0].map((now) => take(limiter, now))).toEqual([1, 0, -30]);
    expect(take(limiter, 30_000)).toBe(0);
  });

  it('lets in what it says that is left, and after its wait; never more than it gives back', () => {
    const limits = fc.integer({ min: 1, max: 100 });
    const pauses = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 10 });
    fc.assert(
      fc.property(limits, pauses, (perMinute, pausesMs) => {
        const limiter = new RateLimiter(perMinute);
        let now = 0;
        let letIn = 0;
        for (const pauseMs of pausesMs) {
          now += pauseMs;
          const left = take(limiter, now);
          if (left >= 0) {
            letIn += 1;
            for (let each = left; each > 0; each -= 1) {
              expect(take(limiter, now)).toBe(each - 1);
              letIn += 1;
            }
            expect(take(limiter, now)).toBeLessThan(0);
          } else {
            now += -left * 1000;
            expect(take(limiter, now)).toBeGreaterThanOrEqual(0);
            letIn += 1;
          }
          expect(letIn).toBeLessThanOrEqual(perMinute + Math.floor((now * perMinute) / 60_000));
        }
      }),
    );
  });
});
