import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortCodeGenerator } from './short-code.js';

const nothingReserved = () => false;

describe('shortCodeGenerator', () => {
  it('returns 7 characters of [A-Za-z0-9]', () => {
    const newCode = shortCodeGenerator(randomBytes, nothingReserved);
    for (let at = 0; at < 10_000; at += 1) expect(newCode()).toMatch(/^[A-Za-z0-9]{7}$/);
  });

  it('returns each character equally often over all byte values', () => {
    let at = 0;
    // Every byte value in turn, over and over.
    const newCode = shortCodeGenerator(
      (count) => Uint8Array.from({ length: count }, () => at++ % 256),
      nothingReserved,
    );
    const counts = new Map<string, number>();
    // 248 of 256 values are used, so 248 codes of 7 use up seven whole rounds.
    for (let code = 0; code < 248; code += 1) {
      for (const letter of newCode()) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    expect(new Set(counts.values())).toEqual(new Set([28]));
  });

  it('returns 100,000 different codes', () => {
    const newCode = shortCodeGenerator(randomBytes, nothingReserved);
    const codes = new Set(Array.from({ length: 100_000 }, newCode));
    // 62^7 is 3.5e12: more than two clashes by chance come once in millions of runs.
    expect(codes.size).toBeGreaterThan(99_997);
  });

  it('never returns a reserved word', () => {
    const bytes = fc.uint8Array({ minLength: 4096, maxLength: 4096 });
    fc.assert(
      fc.property(bytes, (pool) => {
        const first = shortCodeGenerator(() => pool, nothingReserved)();
        let draws = 0;
        const newCode = shortCodeGenerator(
          (count) => {
            draws += 1;
            return draws === 1 ? pool : randomBytes(count);
          },
          (word) => word === first,
        );
        expect(newCode()).not.toBe(first);
      }),
      { numRuns: 20 },
    );
  });
});
