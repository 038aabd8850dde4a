import { expect, test } from 'vitest';
import { findItemError } from './check-item.js';

const now = Date.UTC(2030, 0, 1);
const targetUrl = 'https://example.com';

test.each([
  [{ targetUrl }],
  [{ targetUrl: 'HTTP://example.com/?q=ü' }],
  [{ targetUrl, customSlug: 'spring-Sale-2030' }],
  [{ targetUrl, tags: Array.from({ length: 20 }, String) }],
  [{ targetUrl, redirectType: 308 }],
  [{ targetUrl, expiresAt: '2030-06-01T00:00:00Z' }],
  [{ targetUrl, expiresAt: '2030-06-01' }],
  [{ targetUrl, expiresAt: '2030-06-01T00:00:00.5+02:00' }],
  [{ targetUrl, domainId: '01a1fd83-d66f-750c-a76d-6e7db32583b8' }],
  [{ targetUrl, activatesAt: '2030-06-01', expiresAt: '2030-06-02', expiredUrl: targetUrl }],
  [{ targetUrl, activatesAt: '2029-06-01', maxClicks: 1 }],
  [{ targetUrl, isPasswordProtected: true, password: 'x' }],
])('%j is valid', (item) => {
  expect(findItemError(item, now)).toBeUndefined();
});

test.each([
  [{}, 'targetUrl is required'],
  [{ targetUrl: 'example.com' }, 'must start with http'],
  [{ targetUrl: 'javascript:alert(1)' }, 'must start with http'],
  [{ targetUrl: 'https://' }, 'valid URL'],
  [{ targetUrl: `${targetUrl}/${'ü'.repeat(4096)}` }, 'at most 8192 bytes'],
  [{ targetUrl, customSlug: 'ab' }, 'customSlug'],
  [{ targetUrl, customSlug: '-abc' }, 'customSlug'],
  [{ targetUrl, customSlug: 'a_b' }, 'customSlug'],
  [{ targetUrl, customSlug: 'x'.repeat(51) }, 'customSlug'],
  [{ targetUrl, tags: Array.from({ length: 21 }, String) }, 'at most 20 tags'],
  [{ targetUrl, redirectType: 303 }, 'redirectType'],
  [{ targetUrl, expiresAt: '2029-12-31T00:00:00Z' }, 'lie in the future'],
  [{ targetUrl, expiresAt: '2030-13-01T00:00:00Z' }, 'ISO 8601'],
  [{ targetUrl, activatesAt: 'soon' }, 'ISO 8601'],
  [{ targetUrl, activatesAt: '2031-01-01', expiresAt: '2030-12-31' }, 'before expiresAt'],
  [{ targetUrl, expiredUrl: 'example.com' }, 'expiredUrl must start'],
  [{ targetUrl, maxClicks: 0 }, 'at least 1'],
  [{ targetUrl, maxClicks: 1e13 }, 'at most'],
  [{ targetUrl, domainId: '7' }, 'UUID'],
  [{ targetUrl, isPasswordProtected: true }, 'password is needed'],
])('%j is invalid', (item, error) => {
  expect(findItemError(item, now)).toContain(error);
});
