import { describe, expect, it } from 'vitest';
import { matchesEtag } from './qr-image.js';

describe('matchesEtag', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['*', true],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b"', false],
  ])('%j: %s', (ifNoneMatch, expected) => {
    expect(matchesEtag('"a"', ifNoneMatch)).toBe(expected);
  });

  it('reads the first 4,096 characters', () => {
    expect(matchesEtag('"a"', `${','.repeat(4093)}"a"`)).toBe(true);
    expect(matchesEtag('"a"', `${','.repeat(4094)}"a"`)).toBe(false);
  });
});
