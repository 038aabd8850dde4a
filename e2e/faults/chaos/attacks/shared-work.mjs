// Work that tenants share: logos, drawings, lists, reports, DNS.
import { createServer } from 'node:http';
import { deflateSync } from 'node:zlib';
import { bearer, repeat } from '../lib/target.mjs';

const svg = (content) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${content}</svg>`;

const uses = () => {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const children = `<use href="#u${level + 1}"/>`.repeat(10);
    return `<g id="u${level}">${children}</g>`;
  });
  return `<defs>${levels.join('')}<rect id="u12" width="9" height="9"/></defs><use href="#u0"/>`;
};

/** A PNG of 30,000 by 30,000 pixels in a few kilobytes. */
function pngBomb() {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(30_000, 0);
  header.writeUInt32BE(30_000, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc(30_000 * 3_751), { level: 9 });
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

const logos = {
  '/text.svg': () => svg('<text x="1" y="9">Endless text</text>'.repeat(20_000)),
  '/uses.svg': () => svg(uses()),
  '/doctype.svg': () => '<!DOCTYPE'.repeat(110_000),
  '/spaces.svg': () => svg(`<rect fill="url(${' '.repeat(900_000)}"/>`),
  '/filter.svg': () =>
    svg(
      `<filter id="f"><feTurbulence numOctaves="99999"/></filter><rect filter="url(#f)" width="99" height="99"/>`,
    ),
  '/wide.svg': () =>
    '<svg xmlns="http://www.w3.org/2000/svg" width="9999999" height="9999999"><rect width="9" height="9"/></svg>',
  '/bomb.png': pngBomb,
};

/** Serves bytes by path on the attacker's port until the attack ends. */
function serveFiles(files, port, signal) {
  const made = new Map();
  const server = createServer((request, response) => {
    const path = request.url.split('?')[0];
    if (!made.has(path)) made.set(path, files[path]?.() ?? '');
    const type = path.endsWith('.png') ? 'image/png' : 'image/svg+xml';
    response.writeHead(200, { 'content-type': type }).end(made.get(path));
  });
  server.listen(port, '127.0.0.1');
  signal.addEventListener('abort', () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

const createQr = (target, tenant, body) =>
  target.request('POST', '/api/v1/qr', { headers: bearer(tenant), body: JSON.stringify(body) });

export const sharedWork = {
  'tenant-logos': ({ target, signal, tenants: [tenant], ports }) => {
    const origin = serveFiles(logos, ports.files, signal);
    const paths = Object.keys(logos);
    return repeat(signal, 6, (turn) =>
      createQr(target, tenant, {
        data: `logo ${turn}`,
        errorCorrectionLevel: 'H',
        logoUrl: `${origin}${paths[turn % paths.length]}?${turn}`,
      }),
    );
  },

  /** Sixty of the largest and densest codes at once. */
  'tenant-drawings': ({ target, signal, tenants: [tenant] }) =>
    repeat(signal, 60, (turn) =>
      createQr(target, tenant, {
        data: `${turn} `.padEnd(1_200, 'heavy'),
        size: 2048,
        format: 'webp',
        errorCorrectionLevel: 'H',
        stylePreset: 'dots',
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

  /** Creates that fail because their slug or their idempotency key is taken. */
  'tenant-conflicts': ({ target, signal, tenants: [tenant] }) =>
    repeat(signal, 24, (turn) =>
      target.request('POST', '/api/v1/urls', {
        headers: bearer(tenant, { 'idempotency-key': `key-${turn % 3}` }),
        body: JSON.stringify({
          targetUrl: `https://example.com/${turn}`,
          ...(turn % 2 === 0 && { customSlug: 'honest-1' }),
        }),
      }),
    ),

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

  /** Creates and lists of a tenant that has deleted tens of thousands of domains and webhooks. */
  'tenant-deleted-records': ({ target, signal, tenants: [tenant] }) => {
    const headers = bearer(tenant);
    return repeat(signal, 8, (turn) => {
      if (turn % 3 === 0) return target.request('GET', '/api/v1/domains', { headers });
      if (turn % 3 === 1) return target.request('GET', '/api/v1/webhooks', { headers });
      const body = JSON.stringify({ targetUrl: `https://example.com/${turn}` });
      return target.request('POST', '/api/v1/urls', { headers, body });
    });
  },

  /** Verifies domains with very long or malformed TXT records. */
  'tenant-dns': ({ target, signal, tenants: [tenant] }) =>
    repeat(signal, 2, async (turn) => {
      const created = await target.request('POST', '/api/v1/domains', {
        headers: bearer(tenant),
        body: JSON.stringify({ hostname: `d${turn}.attack.example` }),
      });
      if (created?.status !== 201) return;
      const { id } = JSON.parse(created.text).data;
      await target.request('POST', `/api/v1/domains/${id}/verify`, { headers: bearer(tenant) });
      await target.request('DELETE', `/api/v1/domains/${id}`, { headers: bearer(tenant) });
    }),
};
