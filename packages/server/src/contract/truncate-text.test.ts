import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { truncateText } from './truncate-text.js';

describe('truncateText', () => {
  it.each([
    ['ab', 2, 'ab'],
    ['abc', 2, 'ab'],
    ['a\u{1f600}', 2, 'a'],
    ['a\u{1f600}', 3, 'a\u{1f600}'],
    ['a\u{1f600}b', 3, 'a\u{1f600}'],
    ['\u{1f600}', 0, ''],
  ])('%j within %i is %j', (text, max, expected) => {
    expect(truncateText(text, max)).toBe(expected);
  });

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
