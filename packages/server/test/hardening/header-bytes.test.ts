import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAddressRanges } from '../../src/network/ip-address.js';
import { sendRaw } from '../api/raw-http.js';
import { startServer, type TestServer } from '../api/start-server.js';
import { foreignHeaders, framingHeaders, namedElsewhere, ownHeaders } from './read-headers.js';

const highBytes = Array.from({ length: 128 }, (_, at) => String.fromCharCode(0x80 + at));

let api: TestServer;
let link: string;
beforeAll(async () => {
  const trustedProxies = parseAddressRanges('127.0.0.1');
  api = await startServer({ trustedProxies, countryHeader: 'cf-ipcountry', rateLimit: 0 });
  const { data } = await api.call('createUrl', { body: { targetUrl: 'https://example.com/' } });
  link = `/${data.shortCode}`;
});
afterAll(() => api.stop());

type Headers = Readonly<Record<string, string>>;

function toRequest(method: string, path: string, headers: Headers, body = ''): string {
  const all = { host: 'localhost', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const redirect = (headers: Headers) => toRequest('GET', link, headers);
const read = (headers: Headers) =>
  toRequest('GET', '/api/v1/usage', { authorization: `Bearer ${api.token}`, ...headers });
const create = (headers: Headers) => {
  const body = '{"targetUrl":""}';
  const own = {
    authorization: `Bearer ${api.token}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  return toRequest('POST', '/api/v1/urls', { ...own, ...headers }, body);
};

/** Sends requests one after another on one connection and returns their statuses. */
async function statusesOf(requests: readonly string[]): Promise<number[]> {
  const last = toRequest('GET', '/health/live', { connection: 'close' });
  const bytes = Buffer.from(requests.join('') + last, 'latin1');
  const text = await sendRaw(api.server.url, [bytes]);
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

const headers = { ...ownHeaders, ...namedElsewhere, ...foreignHeaders };

it.each(Object.entries(headers))('every byte from 0x80 on is accepted in %s', async (...args) => {
  const [name, valueWith] = args;
  for (const request of [redirect, read, create]) {
    const requests = highBytes.map((byte) => request({ [name]: valueWith(byte) }));
    const statuses = await statusesOf(requests);
    expect(statuses).toHaveLength(requests.length + 1);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  }
});

it.each(Object.entries(framingHeaders))('no byte in %s causes an error', async (...args) => {
  const [name, valueWith] = args;
  for (const request of [redirect, create]) {
    for (const byte of highBytes) {
      const statuses = await statusesOf([request({ [name]: valueWith(byte) })]);
      expect(statuses[0]).toBeGreaterThan(0);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    }
  }
});
