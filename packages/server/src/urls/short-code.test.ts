import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortCodeGenerator } from './short-code.js';

const nothingReserved = () => false;

describe('shortCodeGenerator', () => {
  it('returns 7 characters of [A-Za-z0-9]', () => {
    const newCode = shortCodeGenerator(randomInt, nothingReserved);
    for (let at = 0; at < 10_000; at += 1) expect(newCode()).toMatch(/^[A-Za-z0-9]{7}$/);
  });

  it('returns each character equally often', () => {
    let at = 0;
    const newCode = shortCodeGenerator((end) => at++ % end, nothingReserved);
    const counts = new Map<string, number>();
    for (let code = 0; code < 62; code += 1) {
      for (const letter of newCode()) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    expect(new Set(counts.values())).toEqual(new Set([7]));
  });

  it('returns 100,000 different codes', () => {
    const newCode = shortCodeGenerator(randomInt, nothingReserved);
    const codes = new Set(Array.from({ length: 100_000 }, newCode));
    // 62^7 is 3.5e12: more than two clashes by chance come once in millions of runs.
    expect(codes.size).toBeGreaterThan(99_997);
  });

  it('never returns a reserved word', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(61), { minLength: 7, maxLength: 7 }), (numbers) => {
        const draw = () => {
          const left = [...numbers];
          return (end: number) => left.shift() ?? randomInt(end);
        };
        const first = shortCodeGenerator(draw(), nothingReserved)();
        const newCode = shortCodeGenerator(draw(), (word) => word === first);
        expect(newCode()).not.toBe(first);
      }),
      { numRuns: 20 },
    );
  });
});
