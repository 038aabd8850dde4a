import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { truncateText } from './truncate-text.js';

describe('truncateText', () => {
  it('cuts between characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, max) => {
        const cut = truncateText(text.toWellFormed(), max);
        expect(text.toWellFormed().startsWith(cut)).toBe(true);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, max) - 1);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});
