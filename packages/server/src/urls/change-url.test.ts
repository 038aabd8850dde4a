import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findExpiryError, newUrl, patchUrl } from './change-url.js';
import type { ShortUrl } from './short-url.js';
import type { UrlCreateRequest, UrlUpdateRequest } from './url-contract.js';

const now = Date.UTC(2030, 0, 1);
const iso = (instant: number) => new Date(instant).toISOString();
const identity = { id: 1, organizationId: 'o', shortCode: 'abcdefg', hostname: null };

const create = (body: UrlCreateRequest) =>
  newUrl({ body, passwordHash: null }, identity, now - 1000);

function url(fields: Partial<ShortUrl> = {}): ShortUrl {
  return { ...create({ targetUrl: 'https://example.com/', title: 'Old', tags: ['a'] }), ...fields };
}

function patched(before: ShortUrl, patch: UrlUpdateRequest, hash: string | null = null): ShortUrl {
  const change = patchUrl(before, patch, hash, now);
  if (!change.ok) throw new Error(`${change.error.path} ${change.error.message}`);
  return change.url;
}

function errorPathOf(before: ShortUrl, patch: UrlUpdateRequest): string | undefined {
  const change = patchUrl(before, patch, null, now);
  return change.ok ? undefined : change.error.path;
}

describe('findExpiryError', () => {
  it.each([
    [undefined, undefined],
    [null, undefined],
    [iso(now + 1), undefined],
    [iso(now), 'expiresAt'],
    [iso(now - 1), 'expiresAt'],
  ])('of expiresAt %j is %j', (expiresAt, path) => {
    expect(findExpiryError({ expiresAt }, now)?.path).toBe(path);
  });
});

describe('newUrl', () => {
  it('treats null as a missing field', () => {
    const targetUrl = 'https://example.com/';
    const nothing = { title: null, tags: null, redirectType: null, customUtmParams: null };
    expect(create({ targetUrl, ...nothing, expiresAt: null, customSlug: null })).toEqual(
      create({ targetUrl }),
    );
    expect(create({ targetUrl })).toMatchObject({ redirectType: 307, tags: [] });
  });
});

describe('patchUrl', () => {
  it('does not change missing fields', () => {
    expect(patched(url(), {})).toEqual(url());
    expect(patched(url(), { title: undefined })).toEqual(url());
  });

  it.each([
    ['title', null],
    ['tags', []],
    ['customUtmParams', {}],
    ['redirectType', 307],
    ['expiresAt', null],
    ['domainId', null],
    ['utmSource', null],
  ] as const)('null clears %s to %j', (field, cleared) => {
    const before = url({
      customUtmParams: { a: 'b' },
      redirectType: 301,
      expiresAt: now + 1000,
      domainId: 'd',
      utmSource: 's',
    });
    expect(patched(before, { [field]: null })[field]).toEqual(cleared);
  });

  it('changes neither immutable fields nor its argument', () => {
    const patch = fc.record(
      {
        title: fc.option(fc.string()),
        targetUrl: fc.webUrl(),
        tags: fc.option(fc.array(fc.string())),
        isActive: fc.boolean(),
        redirectType: fc.constantFrom(301, 302, 307, 308, null),
        expiresAt: fc.option(fc.constant(iso(now + 5000))),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(patch, (changes) => {
        const before = Object.freeze(url({ customSlug: 'slug', clickCount: 3 }));
        const after = patched(before, changes as UrlUpdateRequest);
        for (const field of [
          'id',
          'organizationId',
          'shortCode',
          'customSlug',
          'clickCount',
          'excludedClicks',
          'createdAt',
        ] as const) {
          expect(after[field]).toBe(before[field]);
        }
        expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
      }),
    );
  });

  it.each([
    ['sets a password', null, { isPasswordProtected: true, password: 'p' }, 'new', 'new'],
    ['changes it', 'old', { password: 'p' }, 'new', 'new'],
    [
      'changes it with an explicit isPasswordProtected',
      'old',
      { isPasswordProtected: true, password: 'p' },
      'new',
      'new',
    ],
    ['does not change it without a new one', 'old', { isPasswordProtected: true }, null, 'old'],
    ['removes it', 'old', { isPasswordProtected: false }, null, null],
    ['changes nothing without a password', null, { isPasswordProtected: false }, null, null],
  ])('%s', (_, passwordHash, patch, newHash, expected) => {
    expect(patched(url({ passwordHash }), patch, newHash).passwordHash).toBe(expected);
  });

  it('requires a password for protection, and protection for a password', () => {
    expect(errorPathOf(url(), { isPasswordProtected: true })).toBe('password');
    expect(errorPathOf(url(), { password: 'p' })).toBe('isPasswordProtected');
    expect(
      errorPathOf(url({ passwordHash: 'h' }), { isPasswordProtected: false, password: 'p' }),
    ).toBe('isPasswordProtected');
  });

  it('activates a link unless expiresAt has passed', () => {
    const inactive = url({ isActive: false });
    expect(patched(inactive, { isActive: true }).isActive).toBe(true);
    const expired = url({ isActive: false, expiresAt: now });
    expect(errorPathOf(expired, { isActive: true })).toBe('isActive');
    expect(patched(expired, { isActive: true, expiresAt: null }).isActive).toBe(true);
    expect(patched(expired, { isActive: true, expiresAt: iso(now + 1) }).isActive).toBe(true);
    expect(patched(expired, { expiresAt: iso(now + 1) }).isActive).toBe(false);
  });
});
