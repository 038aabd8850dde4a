// Bodies, before authentication and after it.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { bearer, repeat } from '../lib/target.mjs';

const nested = (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2);
const json = { 'content-type': 'application/json' };
const zipped = { ...json, 'content-encoding': 'gzip' };
const nestedBomb = gzipSync(nested(4_000_000));
const manyKeys = (count) =>
  JSON.stringify({
    targetUrl: 'https://example.com',
    customUtmParams: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v'])),
  });
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
  /** A few kilobytes of gzip that become megabytes of nested arrays, before any authentication. */
  'token-gzip-bomb': ({ target, signal }) =>
    repeat(signal, 8, () =>
      target.request('POST', '/api/v1/auth/token', { headers: zipped, body: nestedBomb }),
    ),

  'token-flood': ({ target, signal, tenants }) =>
    repeat(signal, 8, (turn) =>
      target.request('POST', '/api/v1/auth/token', {
        headers: json,
        body: JSON.stringify({
          clientId: tenants[0].clientId,
          clientSecret: turn % 2 ? tenants[0].clientSecret : 'wrong',
        }),
      }),
    ),

  /** Bodies of 4 MB of which all but the end is sent. */
  'half-sent-bodies': ({ target, signal }) => {
    const part = Buffer.alloc(3_900_000, ' ');
    const head = 'POST /api/v1/auth/token HTTP/1.1\r\nHost: short.example\r\n';
    const request = Buffer.concat([
      Buffer.from(`${head}Content-Type: application/json\r\nContent-Length: 4000000\r\n\r\n`),
      part,
    ]);
    return repeat(signal, 100, () => target.raw(request, { holdMs: 10_000 }));
  },

  'tenant-gzip-bomb': ({ target, signal, tenants: [tenant] }) =>
    repeat(signal, 8, () =>
      target.request('POST', '/api/v1/urls/bulk', {
        headers: bearer(tenant, { 'content-encoding': 'gzip' }),
        body: nestedBomb,
      }),
    ),

  'tenant-nesting': ({ target, signal, tenants: [tenant] }) => {
    const body = nested(3_900_000);
    return repeat(signal, 4, () =>
      target.request('POST', '/api/v1/urls/bulk', { headers: bearer(tenant), body }),
    );
  },

  'tenant-many-fields': ({ target, signal, tenants: [tenant] }) => {
    const body = manyKeys(250_000);
    return repeat(signal, 4, () =>
      target.request('POST', '/api/v1/urls', { headers: bearer(tenant), body }),
    );
  },

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
