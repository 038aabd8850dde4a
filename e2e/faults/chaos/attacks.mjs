// What a tenant can do at most, to take time from others, and a stranger with bodies. Other hostile requests are in packages/server/test/hardening,
// receivers that hang and events for many webhooks in packages/server/test/webhooks.
import { randomBytes } from 'node:crypto';
import { bearer, repeat } from './lib/target.mjs';

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

/** The body of a request for one of the largest and densest codes. */
export const largestDrawing = (turn) =>
  JSON.stringify({
    data: `${turn} `.padEnd(1_200, 'heavy'),
    ...{ size: 2048, format: 'webp', errorCorrectionLevel: 'H', stylePreset: 'dots' },
  });

const refusedBody = Buffer.alloc(30 * 1024 * 1024, ' ');

/**
 * Every attack by its name. An attack gets `{ target, tenants, links, signal }` and repeats until the
 * signal is aborted.
 */
export const attacks = {
  /** Bodies of 30 MB from twenty strangers, which are refused at once and still arrive. */
  'stranger-bodies': ({ target, signal }) =>
    repeat(signal, 20, () => target.request('POST', '/api/v1/urls', { body: refusedBody })),

  'tenant-largest-bulk': ({ target, signal, tenants: [tenant] }) =>
    repeat(signal, 4, () =>
      target.request('POST', '/api/v1/urls/bulk', { headers: bearer(tenant), body: largestBulk }),
    ),

  /** Twenty bulk creates at once, each with a hundred passwords to hash. */
  'tenant-passwords': ({ target, signal, tenants: [tenant] }) =>
    repeat(signal, 20, () =>
      target.request('POST', '/api/v1/urls/bulk', { headers: bearer(tenant), body: passwordBulk }),
    ),

  /** Sixty of the largest and densest codes at once. */
  'tenant-drawings': ({ target, signal, tenants: [tenant] }) =>
    repeat(signal, 60, (turn) =>
      target.request('POST', '/api/v1/qr', {
        headers: bearer(tenant),
        body: largestDrawing(turn),
      }),
    ),

  /** Searches, large offsets and reports over all records of the tenant. */
  'tenant-lists': ({ target, signal, tenants: [tenant], links }) => {
    const paths = [
      '/api/v1/urls?search=e',
      '/api/v1/urls?search=ex',
      '/api/v1/urls?search=example',
      '/api/v1/urls?search=no-such-text-anywhere',
      `/api/v1/urls?offset=${links - 1}`,
      `/api/v1/urls?offset=${links * 10}&search=a`,
      '/api/v1/urls?tag=nothing&search=zz',
      '/api/v1/analytics/overview?groupBy=hour&limit=50',
      '/api/v1/qr?limit=100',
    ];
    const headers = bearer(tenant);
    return repeat(signal, 8, (turn) =>
      target.request('GET', paths[turn % paths.length], { headers }),
    );
  },

  /** Bulk updates, each of which changes a hundred links and their search texts. */
  'tenant-bulk-updates': ({ target, signal, tenants: [tenant], links }) => {
    const headers = bearer(tenant);
    return repeat(signal, 24, (turn) => {
      const first = ((turn * 100) % links) + 1;
      const updates = Array.from({ length: 100 }, (_, index) => ({
        id: first + index,
        title: `Renamed ${turn} ${index}`,
      }));
      const body = JSON.stringify({ updates });
      return target.request('PATCH', '/api/v1/urls/bulk', { headers, body });
    });
  },

  /** Visits with distinct Referers of one link with many QR codes, and reports about it. */
  'tenant-one-hot-link': async ({ target, signal, tenants: [tenant] }) => {
    const headers = bearer(tenant);
    const created = await target.request('POST', '/api/v1/urls', {
      headers,
      body: JSON.stringify({
        targetUrl: 'https://example.com/hot',
        customSlug: `hot-${Date.now()}`,
      }),
    });
    if (created?.status !== 201) throw new Error('the hot link could not be created');
    const { id, shortCode } = JSON.parse(created.text).data;
    const codes = repeat(signal, 4, (turn) =>
      target.request('POST', '/api/v1/qr', {
        headers,
        body: JSON.stringify({ urlId: id, size: 100 + turn }),
      }),
    );
    const visits = repeat(signal, 16, (turn) =>
      target.request('GET', `/${shortCode}`, {
        headers: { host: 'short.example', referer: `https://site-${turn}.example/${turn}` },
      }),
    );
    const reports = repeat(signal, 4, (turn) =>
      target.request('GET', `/api/v1/urls/${id}/clicks?groupBy=${turn % 2 ? 'day' : 'hour'}`, {
        headers,
      }),
    );
    await Promise.all([codes, visits, reports]);
  },
};
