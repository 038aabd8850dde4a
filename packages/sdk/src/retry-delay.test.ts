import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRetryAfter, retryDelay } from './retry-delay.js';

describe('retryDelay', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const maxDelay = fc.integer({ min: 0, max: 1e7 });

  it('is at least Retry-After, and at most the limit if Retry-After is shorter', () => {
    const retryAfter = fc.option(fc.integer({ min: 0, max: 1e9 }), { nil: undefined });
    fc.assert(
      fc.property(fc.nat(2000), retryAfter, maxDelay, chance, (retries, after, max, random) => {
        const delay = retryDelay(retries, after, max, () => random);
        expect(delay).toBeGreaterThanOrEqual(after ?? 0);
        expect(delay).toBeLessThanOrEqual(Math.max(max, after ?? 0));
      }),
    );
  });

  it('has full jitter with a limit that doubles', () => {
    const delays = [0, 1, 2, 3, 9].map((retries) =>
      [0, 0.5, 0.999].map((at) => Math.round(retryDelay(retries, undefined, 1e6, () => at))),
    );
    expect(delays).toEqual([
      [0, 250, 500],
      [0, 500, 999],
      [0, 1000, 1998],
      [0, 2000, 3996],
      [0, 4000, 7992],
    ]);
  });
});

describe('readRetryAfter', () => {
  const nowMs = Date.UTC(2030, 0, 1, 10, 0, 0);
  const read = (headers: Record<string, string>) => readRetryAfter(new Headers(headers), nowMs);

  it.each([
    ['0', 0],
    ['Tue, 01 Jan 2030 09:00:00 GMT', 0],
    ['', undefined],
    ['1.5', undefined],
    ['soon', undefined],
  ])('reads %j as %s ms', (value, ms) => {
    expect(read({ 'retry-after': value })).toBe(ms);
  });
});
