import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileVariants } from './compile-variants.js';

const keys = Array.from({ length: 20_000 }, (_, index) =>
  createHmac('sha256', 'secret').update(`${index}`).digest('hex').slice(0, 16),
);
const weightsOf = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 10 });
const weights = weightsOf.filter((list) => list.some((weight) => weight > 0));
const urlId = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

function sharesOf(id: number, list: readonly number[]): number[] {
  const choose = compileVariants(id, list);
  const counts = list.map(() => 0);
  for (const key of keys) counts[choose(key)] = (counts[choose(key)] ?? 0) + 1;
  return counts.map((count) => count / keys.length);
}

describe('variants', () => {
  it('divide visitors by their weights, and visitors keep their variant', () => {
    fc.assert(
      fc.property(urlId, weights, (id, list) => {
        const total = list.reduce((sum, weight) => sum + weight, 0);
        for (const [index, share] of sharesOf(id, list).entries()) {
          const expected = (list[index] as number) / total;
          // Five standard deviations and a half.
          const tolerance = 5.5 * Math.sqrt((expected * (1 - expected)) / keys.length);
          expect(Math.abs(share - expected)).toBeLessThanOrEqual(tolerance);
        }
        const [one, other] = [compileVariants(id, list), compileVariants(id, list)];
        expect(keys.slice(0, 100).map(one)).toEqual(keys.slice(0, 100).map(other));
      }),
      { numRuns: 20 },
    );
  });

  it('of different links are independent', () => {
    const [one, other] = [compileVariants(1, [1, 1]), compileVariants(2, [1, 1])];
    const same = keys.filter((key) => one(key) === other(key)).length / keys.length;
    expect(Math.abs(same - 0.5)).toBeLessThan(0.02);
  });

  it('change for the visitors between the old and the new share only', () => {
    const [before, after] = [compileVariants(1, [50, 50]), compileVariants(1, [60, 40])];
    const changed = keys.filter((key) => before(key) !== after(key));
    expect(Math.abs(changed.length / keys.length - 0.1)).toBeLessThan(0.012);
    expect(changed.every((key) => before(key) === 1 && after(key) === 0)).toBe(true);
  });

  it('have one of the weights for each key', () => {
    const key = fc.stringMatching(/^[0-9a-f]{16}$/);
    fc.assert(
      fc.property(urlId, weights, key, (id, list, visitor) => {
        expect(list[compileVariants(id, list)(visitor)]).toBeGreaterThan(0);
      }),
    );
  });

  it.each([[[]], [[0]], [[Number.NaN, 1]]])('without a sum of weights throw: %j', (list) => {
    expect(() => compileVariants(1, list)).toThrow(RangeError);
  });
});
