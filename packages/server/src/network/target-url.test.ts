import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTargetUrlError, maxTargetUrlBytes } from './target-url.js';

const fill = (bytes: number) => 'https://example.com/'.padEnd(bytes, 'a');

describe('findTargetUrlError', () => {
  it.each([
    ['', /empty/],
    ['example.com', /http/],
    ['JaVaScRiPt://%0aalert(1)', /http/],
    ['https://', /valid URL/],
    ['https://example.com:99999', /valid URL/],
    [' https://example.com', /space/],
    ['https://example.com/\r\nSet-Cookie: a=b', /control/],
    ['https://example.com/\ud800', /surrogate/],
    [fill(maxTargetUrlBytes + 1), /8192 bytes/],
    [`https://example.com/${'ü'.repeat(4087)}`, /8192 bytes/],
  ])('refuses %j', (target, error) => {
    expect(findTargetUrlError(target)).toMatch(error);
  });

  it('accepts only what serialises to an http or https URL in one ASCII line', () => {
    const text = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string({ unit: 'binary' }),
      fc
        .tuple(
          fc.constantFrom('http://', 'https://', 'https://e.com/'),
          fc.string({ unit: 'binary' }),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (target) => {
        if (findTargetUrlError(target) !== undefined) return;
        const url = new URL(target);
        expect(['http:', 'https:']).toContain(url.protocol);
        expect(url.href).toMatch(/^[\x21-\x7e]+$/);
      }),
      { numRuns: 500 },
    );
  });
});
