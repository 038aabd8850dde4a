import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forwardRequest, injectUtm } from './target-location.js';

describe('the query of a visit', () => {
  const forward = (location: string, query: string) =>
    forwardRequest(location, { query: true, path: false }, { rest: '', query });

  it.each([
    ['https://e.com/p#top?a=2', 'a=1', 'https://e.com/p?a=1#top?a=2'],
    // What the target has wins, however its name is encoded.
    ['https://e.com/?a=2', 'a=1&b=3', 'https://e.com/?a=2&b=3'],
    ['https://e.com/?A=2', 'a=1', 'https://e.com/?A=2&a=1'],
    // Repeated parameters of the visit are all added.
    ['https://e.com/', 'a=1&a=2&&b', 'https://e.com/?a=1&a=2&b'],
    ['https://e.com/', 'q=a+b%20c&s=%zz&t[]=1', 'https://e.com/?q=a+b%20c&s=%zz&t[]=1'],
  ])('%s and ?%s', (location, query, expected) => {
    expect(forward(location, query)).toBe(expected);
  });

  it('is dropped when it is longer than a target may be', () => {
    expect(forward('https://e.com/', `a=${'x'.repeat(8190)}`)).toHaveLength(8207);
    expect(forward('https://e.com/', `a=${'x'.repeat(8191)}`)).toBe('https://e.com/');
  });
});

describe('any visit of any link', () => {
  const bytes = (exclude: RegExp) =>
    fc
      .array(fc.integer({ min: 0x21, max: 0xff }), { maxLength: 30 })
      .map((codes) => String.fromCharCode(...codes).replace(exclude, ''));
  const words = ['a', 'utm_source', '%2e', '%2f', '..', ...'=&%./\\#?+@:'];
  const pieces = fc.constantFrom(...words);
  const query = fc
    .array(fc.oneof(pieces, bytes(/$^/)), { maxLength: 12 })
    .map((parts) => parts.join(''));
  const rest = fc
    .option(
      fc.array(fc.oneof(pieces, bytes(/\?/g)), { maxLength: 12 }).map((parts) => parts.join('')),
    )
    .map((text) => (text === null ? '' : `/${text.replaceAll('?', '')}`));
  const utm = fc.option(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }));
  const location = fc
    .tuple(
      fc.webUrl({
        withQueryParameters: true,
        withFragments: true,
        validSchemes: ['http', 'https'],
      }),
      utm,
    )
    .map(([url, source]) => {
      const { href } = new URL(url);
      return injectUtm(href, source === null ? [] : [['utm_source', source]]);
    });
  const forwarding = fc.record({ query: fc.boolean(), path: fc.boolean() });

  it('keeps the origin, the fragment, the target and the UTM values of the link', () => {
    fc.assert(
      fc.property(location, forwarding, rest, query, (target, settings, path, search) => {
        const result = forwardRequest(target, settings, { rest: path, query: search });
        if (result === undefined) {
          expect(path).not.toBe('');
          return;
        }
        const before = new URL(target);
        const after = new URL(result);
        // One ASCII line that a URL parser does not change.
        expect(result).toMatch(/^[!-~]+$/);
        expect(after.href).toBe(result);
        expect(after.origin).toBe(before.origin);
        expect(after.username + after.password).toBe(before.username + before.password);
        expect(after.hash).toBe(before.hash);
        expect(after.pathname.startsWith(before.pathname.replace(/\/$/, ''))).toBe(true);
        expect(after.search.startsWith(before.search)).toBe(true);
        for (const name of before.searchParams.keys()) {
          expect(after.searchParams.getAll(name)).toEqual(before.searchParams.getAll(name));
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

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
    ['https://e.com/?utm_source=y&a=1&utm_source=z', 'https://e.com/?a=1&utm_source=x'],
    ['https://e.com/?utm%5Fsource=y', 'https://e.com/?utm_source=x'],
    ['https://e.com/?UTM_SOURCE=y', 'https://e.com/?UTM_SOURCE=y&utm_source=x'],
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
