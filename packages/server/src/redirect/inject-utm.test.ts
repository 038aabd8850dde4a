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
    ['https://e.com/?', 'https://e.com/?utm_source=x'],
    ['https://me:p%40ss@e.com/x', 'https://me:p%40ss@e.com/x?utm_source=x'],
    ['https://e.com/?a=1', 'https://e.com/?a=1&utm_source=x'],
    ['https://e.com/?a=1&', 'https://e.com/?a=1&utm_source=x'],
    ['https://e.com/#top', 'https://e.com/?utm_source=x#top'],
    ['https://e.com/#top?utm_source=y', 'https://e.com/?utm_source=x#top?utm_source=y'],
    ['https://e.com/?utm_source=y&a=1&utm_source=z', 'https://e.com/?a=1&utm_source=x'],
    ['https://e.com/?utm%5Fsource=y', 'https://e.com/?utm_source=x'],
    ['https://e.com/?utm_source', 'https://e.com/?utm_source=x'],
    ['https://e.com/?UTM_SOURCE=y', 'https://e.com/?UTM_SOURCE=y&utm_source=x'],
    ['https://e.com/?q=a+b%20c&s=%zz', 'https://e.com/?q=a+b%20c&s=%zz&utm_source=x'],
  ])('%s becomes %s', (href, expected) => {
    expect(injectUtm(href, [['utm_source', 'x']])).toBe(expected);
  });

  it('sets each parameter exactly once', () => {
    fc.assert(
      fc.property(target, parameters, (href, set) => {
        const { searchParams } = new URL(injectUtm(href, set));
        for (const [name, value] of set) expect(searchParams.getAll(name)).toEqual([value]);
      }),
    );
  });

  it('does not change other parameters or their order', () => {
    const plain = fc.tuple(
      fc.string({ minLength: 1, maxLength: 8 }).map(encodeURIComponent),
      fc.string({ maxLength: 8 }).map(encodeURIComponent),
    );
    fc.assert(
      fc.property(fc.array(plain), parameters, (pairs, set) => {
        const own = new Set(set.map(([name]) => name));
        const query = pairs.map((pair) => pair.join('='));
        const others = query.filter(
          (_, index) => !own.has(decodeURIComponent(pairs[index]?.[0] ?? '')),
        );
        const result = injectUtm(`https://e.com/?${query.join('&')}`, set);
        expect(result.slice('https://e.com/?'.length).split('&').slice(0, others.length)).toEqual(
          others,
        );
      }),
    );
  });

  it('does not change scheme, host, path and fragment', () => {
    fc.assert(
      fc.property(target, parameters, (href, set) => {
        const result = injectUtm(href, set);
        const hash = href.indexOf('#');
        if (hash >= 0) expect(result.endsWith(href.slice(hash))).toBe(true);
        expect(result.startsWith(href.split(/[?#]/, 1)[0] as string)).toBe(true);
        expect(result.split('#').length).toBe(href.split('#').length);
      }),
    );
  });

  it('returns one ASCII line that a URL parser does not change', () => {
    fc.assert(
      fc.property(target, parameters, (href, set) => {
        const result = injectUtm(href, set);
        expect(result).toMatch(/^[\x21-\x7e]+$/);
        expect(new URL(result).href).toBe(result);
      }),
    );
  });
});
