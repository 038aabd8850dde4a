import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortCodeGenerator } from './short-code.js';

const usual = { codeLength: 7, codeAlphabet: 'full', isReserved: () => false } as const;

describe('shortCodeGenerator', () => {
  it('returns each character equally often', () => {
    let at = 0;
    const newCode = shortCodeGenerator((end) => at++ % end, usual);
    const counts = new Map<string, number>();
    for (let code = 0; code < 62; code += 1) {
      for (const letter of newCode()) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    expect(new Set(counts.values())).toEqual(new Set([7]));
  });

  it('never returns a reserved word', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(61), { minLength: 7, maxLength: 7 }), (numbers) => {
        const draw = () => {
          const left = [...numbers];
          return (end: number) => left.shift() ?? randomInt(end);
        };
        const first = shortCodeGenerator(draw(), usual)();
        const newCode = shortCodeGenerator(draw(), {
          ...usual,
          isReserved: (word) => word === first,
        });
        expect(newCode()).not.toBe(first);
      }),
      { numRuns: 20 },
    );
  });
});
