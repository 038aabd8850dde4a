import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTargetUrlError } from '../network/target-url.js';
import { newUrl } from '../urls/change-url.js';
import type { ShortUrl } from '../urls/short-url.js';
import { decideRedirect, toLink } from './link.js';

const now = Date.UTC(2030, 0, 1);
const expiredUrl = 'https://example.com/over';

function url(fields: Partial<ShortUrl> = {}): ShortUrl {
  const identity = { id: 1, organizationId: 'o', shortCode: 'abcdefg', hostname: null };
  const body = { targetUrl: 'https://example.com/' };
  return { ...newUrl({ body, passwordHash: null }, identity, now), ...fields };
}

describe('decideRedirect', () => {
  it.each([
    ['redirect', {}],
    ['redirect', { expiresAt: now + 1 }],
    ['ask-password', { passwordHash: 'hash' }],
    ['gone', { isActive: false }],
    ['taken-down', { takenDownAt: now, takedownReason: 'phishing' }],
    ['taken-down', { takenDownAt: now, isActive: false, passwordHash: 'hash' }],
    ['gone', { expiresAt: now }],
    ['gone', { expiresAt: now - 1 }],
    ['gone', { expiresAt: now, passwordHash: 'hash' }],
    ['gone', { isActive: false, passwordHash: 'hash' }],
    ['redirect', { activatesAt: now }],
    ['unknown', { activatesAt: now + 1 }],
    ['unknown', { activatesAt: now + 1, isActive: false, passwordHash: 'hash' }],
    ['unknown', { activatesAt: now + 1, takenDownAt: now, takedownReason: 'phishing' }],
    ['redirect', { expiredUrl }],
    ['fallback', { expiredUrl, expiresAt: now }],
    ['fallback', { expiredUrl, expiresAt: now, isActive: false, passwordHash: 'hash' }],
    ['gone', { expiredUrl, isActive: false }],
    ['gone', { expiredUrl, isActive: false, expiresAt: now + 1 }],
    ['gone', { expiredUrl, isActive: false, expiresAt: now, deletedAt: now }],
    ['taken-down', { expiredUrl, expiresAt: now, takenDownAt: now, takedownReason: 'x' }],
  ] as const)('%s for %j', (decision, fields) => {
    expect(decideRedirect(toLink(url(fields)), now)).toBe(decision);
  });

  it.each(['isSuspended', 'isFallbackBlocked'])('is gone for an expired link with %s', (reason) => {
    const policy = {
      isSuspended: false,
      isBlocked: false,
      excludedAddresses: undefined,
      forwarding: { query: false, path: false },
      isFallbackBlocked: false,
      [reason]: true,
    };
    expect(decideRedirect(toLink(url({ expiredUrl, expiresAt: now }), policy), now)).toBe('gone');
  });

  it('is unknown without a link', () => {
    expect(decideRedirect(undefined, now)).toBe('unknown');
  });
});

describe('toLink', () => {
  it('sets the UTM fields by their parameter names, and the custom ones after them', () => {
    const { location } = toLink(
      url({
        targetUrl: 'https://example.com/?utm_term=old&keep=1#f',
        utmSource: 's',
        utmMedium: 'm',
        utmCampaign: 'c',
        utmTerm: 't',
        utmContent: 'n',
        customUtmParams: { utm_id: 'i' },
      }),
    );
    expect(location).toBe(
      'https://example.com/?keep=1&utm_source=s&utm_medium=m&utm_campaign=c&utm_term=t&utm_content=n&utm_id=i#f',
    );
  });

  it('returns one ASCII line for every valid target', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    const targets = fc
      .tuple(
        fc.constantFrom('https://example.com/', 'http://bücher.example:8080/?', 'HTTPS://e.com#'),
        text,
      )
      .map((parts) => parts.join(''))
      .filter((target) => findTargetUrlError(target) === undefined);
    fc.assert(
      fc.property(targets, fc.option(text), (targetUrl, utmSource) => {
        expect(toLink(url({ targetUrl, utmSource })).location).toMatch(/^https?:\/\/[\x21-\x7e]+$/);
      }),
    );
  });
});
