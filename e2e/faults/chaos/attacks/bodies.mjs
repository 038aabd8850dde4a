// Bodies, before authentication and after it.
import { randomBytes } from 'node:crypto';
import { bearer, repeat } from '../lib/target.mjs';

const passwordBulk = JSON.stringify({
  urls: Array.from({ length: 100 }, (_, n) => ({
    targetUrl: `https://example.com/${n}`,
    isPasswordProtected: true,
    password: `a password ${n}`,
  })),
});
// Random text is the most expensive to index.
const randomText = (length) => randomBytes(length).toString('base64url').slice(0, length);
const largestBulk = JSON.stringify({
  urls: Array.from({ length: 100 }, () => ({
    targetUrl: `https://example.com/${randomText(8_000)}`,
    title: randomText(500),
    description: randomText(4_000),
    tags: Array.from({ length: 20 }, (_, n) => `tag-${n}`),
  })),
});

export const bodies = {
  'token-flood': ({ target, signal, tenants: [tenant] }) =>
    repeat(signal, 8, (turn) =>
      target.request('POST', '/api/v1/auth/token', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          clientId: tenant.clientId,
          clientSecret: turn % 2 ? tenant.clientSecret : 'wrong',
        }),
      }),
    ),

  'tenant-largest-bulk': ({ target, signal, tenants: [tenant] }) =>
    repeat(signal, 4, () =>
      target.request('POST', '/api/v1/urls/bulk', { headers: bearer(tenant), body: largestBulk }),
    ),

  /** Twenty bulk creates at once, each with a hundred passwords to hash. */
  'tenant-passwords': ({ target, signal, tenants: [tenant] }) =>
    repeat(signal, 20, () =>
      target.request('POST', '/api/v1/urls/bulk', { headers: bearer(tenant), body: passwordBulk }),
    ),
};
