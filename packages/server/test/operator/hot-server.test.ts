import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { sendRaw } from '../api/raw-http.js';
import {
  foreignHeaders,
  framingHeaders,
  namedElsewhere,
  ownHeaders,
} from '../hardening/read-headers.js';
import { call, type SharedServer, serveForAll, tokenOf } from './server-process.js';

const highBytes = Array.from({ length: 128 }, (_, at) => String.fromCharCode(0x80 + at));
// Enough requests for V8 to compile every function of the request path.
const warmUpRequests = 10_000;
const requestsAtOnce = 500;

let server: SharedServer;
let token: string;
let link: string;

type Headers = Readonly<Record<string, string>>;

function toRequest(method: string, path: string, headers: Headers, body = ''): string {
  const all = { host: 'localhost', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const redirect = (headers: Headers) => toRequest('GET', link, headers);
const api = (headers: Headers) =>
  toRequest('GET', '/api/v1/usage', { authorization: `Bearer ${token}`, ...headers });
const create = (headers: Headers) => {
  const body = '{"targetUrl":""}';
  return toRequest(
    'POST',
    '/api/v1/urls',
    {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...headers,
    },
    body,
  );
};

/** Sends requests one after another on one connection and returns their statuses. */
async function statusesOf(requests: readonly string[]): Promise<number[]> {
  const last = toRequest('GET', '/health/live', { connection: 'close' });
  const text = await sendRaw(server.origin, [Buffer.from(requests.join('') + last, 'latin1')]);
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

afterAll(() => server?.remove());
beforeAll(async () => {
  build();
  server = await serveForAll({
    SHORTY_TRUST_PROXY: '127.0.0.1',
    SHORTY_COUNTRY_HEADER: 'CF-IPCountry',
    SHORTY_RATE_LIMIT: '0',
    SHORTY_LOG_LEVEL: 'error',
  });
  const [, clientId = ''] = await server.until(/client id {6}(\S+)/);
  const [, clientSecret = ''] = await server.until(/client secret {2}(\S+)/);
  token = String(await tokenOf(server.origin, { clientId, clientSecret }));
  const { data } = await call(server.origin, token, '/urls', { targetUrl: 'https://example.com/' });
  link = `/${data.shortCode}`;
  for (const request of [redirect, api]) {
    for (let from = 0; from < warmUpRequests; from += requestsAtOnce) {
      const requests = Array.from({ length: requestsAtOnce }, (_, at) =>
        request({
          referer: `https://host-${from + at}.example`,
          'user-agent': `Agent/${from + at}`,
          'x-forwarded-for': `2001:db8::${(from + at).toString(16)}`,
        }),
      );
      const statuses = await statusesOf(requests);
      expect(new Set(statuses.slice(0, -1))).toEqual(new Set([request === redirect ? 307 : 200]));
    }
  }
}, 240_000);

afterEach(async () => {
  expect(server.child.exitCode).toBeNull();
  const metrics = await (await fetch(`${server.origin}/metrics`)).text();
  expect(metrics.match(/^shorty_uncaught_errors_total.*$/gm)).toEqual([
    'shorty_uncaught_errors_total{source="request"} 0',
    'shorty_uncaught_errors_total{source="callback"} 0',
    'shorty_uncaught_errors_total{source="process"} 0',
    'shorty_uncaught_errors_total{source="thread"} 0',
  ]);
});

describe('a warm server accepts every byte from 0x80 to 0xFF in', () => {
  const headers = { ...ownHeaders, ...namedElsewhere, ...foreignHeaders };

  it.each(Object.keys(headers))('%s', async (name) => {
    const valueWith = headers[name] as (byte: string) => string;
    for (const request of [redirect, api, create]) {
      const requests = highBytes.map((byte) => request({ [name]: valueWith(byte) }));
      const statuses = await statusesOf(requests);
      expect(statuses).toHaveLength(requests.length + 1);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    }
  });

  it.each(Object.keys(framingHeaders))('%s, each on a connection of its own', async (name) => {
    const valueWith = framingHeaders[name] as (byte: string) => string;
    for (const request of [redirect, create]) {
      for (const byte of highBytes) {
        const statuses = await statusesOf([request({ [name]: valueWith(byte) })]);
        expect(statuses[0]).toBeGreaterThan(0);
        expect(statuses.filter((status) => status >= 500)).toEqual([]);
      }
    }
  });
});
