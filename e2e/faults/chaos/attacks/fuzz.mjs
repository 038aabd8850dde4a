// Variants of the attacks, made from valid requests by a seeded generator.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { damagedLabel } from '../lib/dns-server.mjs';
import { mutateBytes } from '../lib/random.mjs';
import { shorty } from '../lib/server.mjs';
import { bearer, repeat } from '../lib/target.mjs';

const link = {
  targetUrl: 'https://example.com/a?b=c#d',
  customSlug: 'fuzz-slug',
  title: 'A title',
  tags: ['one', 'two'],
  redirectType: 302,
  expiresAt: '2031-01-01T00:00:00Z',
  utmSource: 'fuzz',
  customUtmParams: { key: 'value' },
};
const qr = { data: 'text', size: 300, format: 'svg', foregroundColor: '#112233' };
const webhook = { url: 'http://127.0.0.1:9/x', events: ['url.created'], isActive: false };

/** Valid requests, as the fuzzer's seeds: method, path, body. */
const seeds = [
  ['POST', '/api/v1/urls', link],
  ['POST', '/api/v1/urls/bulk', { urls: [link, link] }],
  ['PATCH', '/api/v1/urls/bulk', { updates: [{ id: 1, title: 'x' }] }],
  ['DELETE', '/api/v1/urls/bulk?ids=1,2,x', undefined],
  ['PATCH', '/api/v1/urls/1', { title: 'y', expiresAt: null }],
  ['GET', '/api/v1/urls?limit=5&offset=3&search=a&tag=b', undefined],
  ['GET', '/api/v1/urls/1/clicks?since=2026-01-01T00:00:00Z&groupBy=day&limit=5', undefined],
  ['POST', '/api/v1/qr', qr],
  ['GET', '/api/v1/qr?standalone=true', undefined],
  ['POST', '/api/v1/webhooks', webhook],
  ['POST', '/api/v1/domains', { hostname: 'fuzz.example' }],
  ['POST', '/api/v1/auth/token', { clientId: 'a', clientSecret: 'b' }],
  ['GET', '/api/v1/usage?period=2026-11', undefined],
  ['GET', '/honest-1?utm_source=x', undefined],
  ['POST', '/honest-locked', { password: 'x' }],
  ['GET', '/qr/0190a0b0-0000-7000-8000-000000000000', undefined],
];

const oddTexts = [
  '',
  ' ',
  '\0',
  '\u202e',
  '\ud800',
  'ß',
  'İ',
  '💥',
  '%',
  '%00',
  '../',
  "'",
  '"',
  '\\',
  '`',
  '$(x)',
  '<script>',
  '\r\n',
  'null',
  'NaN',
  '-0',
  '1e999',
  '__proto__',
  'constructor',
  'https://[::1]/',
  'https://\u00e0x.example',
  'javascript:1',
  'http://0x7f.1/',
  'a'.repeat(9_000),
];
const oddValues = [null, true, -1, 0.1, 2 ** 53, [], {}, [[]], [null], { a: { b: {} } }];

function mutateValue(random, value, depth = 0) {
  if (random.chance(0.15)) return random.pick(oddValues);
  if (random.chance(0.15)) return random.pick(oddTexts);
  if (Array.isArray(value)) {
    const items = value.map((item) => mutateValue(random, item, depth + 1));
    return random.chance(0.1) ? Array(random.integer(300)).fill(items[0]) : items;
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(() => !random.chance(0.1));
    const changed = entries.map(([key, item]) => [
      random.chance(0.05) ? random.pick(oddTexts) : key,
      random.chance(0.4) ? mutateValue(random, item, depth + 1) : item,
    ]);
    return Object.fromEntries(changed);
  }
  if (typeof value === 'string' && random.chance(0.5)) return mutateText(random, value);
  return value;
}

function mutateText(random, text) {
  const at = random.integer(text.length + 1);
  const part = random.chance(0.5) ? random.pick(oddTexts) : random.bytes(4).toString('latin1');
  return (
    text.slice(0, at) + part.repeat(1 + random.integer(4)) + text.slice(at + random.integer(3))
  );
}

const headerNames = [
  'Host',
  'Referer',
  'User-Agent',
  'Accept',
  'X-Forwarded-For',
  'X-Request-Id',
  'Idempotency-Key',
  'Content-Type',
  'Content-Encoding',
  'Content-Length',
  'Transfer-Encoding',
  'Expect',
  'Upgrade',
  'Connection',
  'Range',
  'If-None-Match',
  'Sec-Purpose',
  'Cookie',
  'Authorization',
  'Origin',
];

/** One request as bytes: a valid one with odd headers, an odd body and sometimes flipped bytes. */
function rawRequest(random, tenant) {
  const [method, path, body] = random.pick(seeds);
  let payload =
    body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(mutateValue(random, body)));
  let encoding = '';
  if (random.chance(0.2)) {
    payload = random.chance(0.5) ? gzipSync(payload) : deflateSync(payload);
    encoding = `Content-Encoding: ${random.pick(['gzip', 'deflate', 'br', 'gzip, gzip'])}\r\n`;
  }
  if (random.chance(0.1)) payload = multipart(random, payload);
  const odd = Array.from({ length: random.integer(4) }, () => {
    const value = random.chance(0.5)
      ? random.bytes(random.integer(40)).toString('latin1')
      : random.pick(oddTexts);
    return `${random.pick(headerNames)}: ${value.replace(/[\r\n]/g, ' ')}\r\n`;
  }).join('');
  const head =
    `${method} ${random.chance(0.2) ? mutateText(random, path) : path} HTTP/1.1\r\n` +
    `Host: short.example\r\nAuthorization: Bearer ${tenant.token}\r\n` +
    `Content-Type: ${random.pick(['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/\x80'])}\r\n` +
    `Content-Length: ${payload.length}\r\n${encoding}${odd}Connection: close\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(head, 'latin1'), payload]);
  return random.chance(0.3) ? mutateBytes(random, bytes) : bytes;
}

function multipart(random, payload) {
  return Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="'),
    random.bytes(random.integer(30)),
    Buffer.from('"\r\n\r\n'),
    payload,
    Buffer.from('\r\n--x--'),
  ]);
}

const validSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><defs><linearGradient id="g">' +
  '<stop offset="0" stop-color="#123"/></linearGradient></defs><g transform="rotate(9)">' +
  '<path d="M1 1L20 20C1 2 3 4 5 6Z" fill="url(#g)" stroke-width="2"/></g></svg>';

const validCsv = Array.from({ length: 40 }, (_, n) => `https://example.com/${n},fuzz ${n},"a|b"`);

export const fuzz = {
  'fuzz-http': ({ target, signal, tenants: [tenant], random }) =>
    repeat(signal, 12, () => target.raw(rawRequest(random, tenant), { holdMs: 2_000 })),

  'fuzz-json': ({ target, signal, tenants: [tenant], random }) =>
    repeat(signal, 8, () => {
      const [method, path, body] = random.pick(seeds);
      const changed = body && JSON.stringify(mutateValue(random, body));
      return target.request(method, encodeURI(path), { headers: bearer(tenant), body: changed });
    }),

  'fuzz-svg': ({ target, signal, tenants: [tenant], ports, random }) => {
    const server = createServer((_request, response) => {
      const changed = random.chance(0.5)
        ? mutateText(random, validSvg)
        : mutateBytes(random, Buffer.from(validSvg));
      response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(changed);
    });
    server.listen(ports.files, '127.0.0.1');
    signal.addEventListener('abort', () => {
      server.closeAllConnections();
      server.close();
    });
    return repeat(signal, 4, (turn) =>
      target.request('POST', '/api/v1/qr', {
        headers: bearer(tenant),
        body: JSON.stringify({
          data: `fuzz ${turn}`,
          errorCorrectionLevel: 'H',
          logoUrl: `http://127.0.0.1:${ports.files}/${turn}.svg`,
        }),
      }),
    );
  },

  /** Verifies domains with damaged DNS responses, over UDP and over TCP. */
  'fuzz-dns': ({ target, signal, tenants: [tenant] }) =>
    repeat(signal, 4, async (turn) => {
      const headers = bearer(tenant);
      const body = JSON.stringify({ hostname: `${damagedLabel}${turn}.attack.example` });
      const created = await target.request('POST', '/api/v1/domains', { headers, body });
      if (created?.status !== 201) return;
      const { id } = JSON.parse(created.text).data;
      await target.request('POST', `/api/v1/domains/${id}/verify`, { headers });
      await target.request('DELETE', `/api/v1/domains/${id}`, { headers });
    }),

  /** Imports damaged CSV files with the CLI, which must exit with a documented code. */
  'fuzz-csv': ({ target, signal, tenants: [tenant], folder, random }) =>
    repeat(signal, 1, async (turn) => {
      const path = join(folder, `fuzz-${turn}.csv`);
      const text = ['targetUrl,title,tags', ...validCsv].join('\n');
      const bytes = Buffer.from(mutateText(random, text));
      writeFileSync(path, random.chance(0.5) ? mutateBytes(random, bytes) : bytes);
      const code = await new Promise((resolve) => {
        execFile(
          process.execPath,
          [shorty, 'urls', 'bulk-create', path],
          {
            signal,
            env: {
              PATH: process.env.PATH,
              HOME: folder,
              SHORTY_BASE_URL: target.origin,
              SHORTY_ACCESS_TOKEN: tenant.token,
            },
          },
          (error) => resolve(error ? error.code : 0),
        );
      });
      if (signal.aborted) return;
      target.statuses.set(`exit ${code}`, (target.statuses.get(`exit ${code}`) ?? 0) + 1);
    }),
};
