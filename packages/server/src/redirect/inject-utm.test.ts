import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { injectUtm } from './inject-utm.js';

const names = ['utm_source', 'utm_medium', 'utm_campaign', 'ref', 'a.b~c-d'];
const parameters: fc.Arbitrary<Parameters<typeof injectUtm>[1]> = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...names), fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })),
  { selector: ([name]) => name, minLength: 1, maxLength: 5 },
);
const target = fc
  .record({
    path: fc.webPath(),
    query: fc.option(fc.string({ unit: 'grapheme', maxLength: 40 })),
    fragment: fc.option(fc.string({ unit: 'grapheme', maxLength: 20 })),
  })
  .map(({ path, query, fragment }) => {
    const search = query === null ? '' : `?${query.replaceAll('#', '')}`;
    return new URL(`https://example.com${path}${search}${fragment === null ? '' : `#${fragment}`}`)
      .href;
  });

describe('injectUtm', () => {
  it.each([
    ['https://e.com/', 'https://e.com/?utm_source=x'],
    ['https://me:p%40ss@e.com/x', 'https://me:p%40ss@e.com/x?utm_source=x'],
    ['https://e.com/?a=1&', 'https://e.com/?a=1&utm_source=x'],
    ['https://e.com/#top?utm_source=y', 'https://e.com/?utm_source=x#top?utm_source=y'],
    ['https://e.com/?utm_source=y&a=1&utm_source=z', 'https://e.com/?a=1&utm_source=x'],
    ['https://e.com/?utm%5Fsource=y', 'https://e.com/?utm_source=x'],
    ['https://e.com/?UTM_SOURCE=y', 'https://e.com/?UTM_SOURCE=y&utm_source=x'],
    ['https://e.com/?q=a+b%20c&s=%zz', 'https://e.com/?q=a+b%20c&s=%zz&utm_source=x'],
  ])('%s becomes %s', (href, expected) => {
    expect(injectUtm(href, [['utm_source', 'x']])).toBe(expected);
  });

  it('sets each parameter once, changes no scheme, host, path and fragment, and returns one ASCII line', () => {
    fc.assert(
      fc.property(target, parameters, (href, set) => {
        const result = injectUtm(href, set);
        const { searchParams, href: parsed } = new URL(result);
        for (const [name, value] of set) expect(searchParams.getAll(name)).toEqual([value]);
        expect(result.startsWith(href.split(/[?#]/, 1)[0] as string)).toBe(true);
        expect(new URL(result).hash).toBe(new URL(href).hash);
        expect(result).toMatch(/^[\x21-\x7e]+$/);
        expect(parsed).toBe(result);
      }),
    );
  });
});
