import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseAddressRanges } from '../../src/network/ip-address.js';
import { startAttackedServer } from './attacked-server.js';
import { openSocket, openSockets } from './open-sockets.js';

const api = await startAttackedServer({
  rateLimit: 0,
  tokenRateLimit: 20,
  timeLimits: { headers: 2_000, body: 2_000, request: 8_000, checks: 50 },
  trustedProxies: parseAddressRanges('127.0.0.1, ::1'),
});
afterAll(() => api.stop());
afterEach(() => api.servesOthers());

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const targetUrl = 'https://example.com/';
const post = (
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = {},
  path = '/api/v1/urls',
) => api.send('POST', path, { body, headers: { ...json, ...headers } });
const ask = (
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = {},
  path = '/api/v1/auth/token',
) =>
  api.visit(path, {
    method: 'POST',
    body,
    headers: { accept: 'application/json', 'x-forwarded-for': '192.0.2.1', ...json, ...headers },
  });
const head = (path: string, ...lines: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');
const asJson = 'Content-Type: application/json';
const withToken = () => `Authorization: Bearer ${api.token}`;

// A busy machine adds to every delay. The defects that this bound finds took seconds.
const maxDelayMs = 400;

/**
 * Returns the smallest of three event-loop delays, each the longest while the work ran. Other
 * processes delay some runs; a blocking request delays all of them.
 */
async function longestDelayMs(work: (attempt: number) => Promise<unknown>): Promise<number> {
  let smallestMs = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= 3 && smallestMs >= maxDelayMs; attempt += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await work(attempt);
    delay.disable();
    smallestMs = Math.min(smallestMs, delay.max / 1e6);
  }
  return smallestMs;
}

async function newProtectedLink(): Promise<string> {
  const body = { targetUrl, isPasswordProtected: true, password: 'x' };
  return `/${(await api.createLink(body)).shortCode}`;
}

describe('without a token, a body', () => {
  it.each([
    ['of 8 KB is read', 8 * 1024, '400 VALIDATION_FAILED'],
    ['of more is refused', 8 * 1024 + 1, '413 PAYLOAD_TOO_LARGE'],
  ])('%s', async (_, length, outcome) => {
    const body = `{"clientId":"${'x'.repeat(length - 15)}"}`;
    expect(Buffer.byteLength(body)).toBe(length);
    const link = await newProtectedLink();
    expect((await ask(body)).outcome).toBe(outcome);
    expect((await ask(body, {}, link)).outcome).toBe(outcome);
    const chunked = { body: new Blob([body]).stream(), duplex: 'half' };
    const headers = { ...json, 'x-forwarded-for': '192.0.2.1' };
    const init = { ...chunked, method: 'POST', headers };
    expect((await api.visit('/api/v1/auth/token', init)).outcome).toBe(outcome);
  });

  it('gets 408 when it does not arrive in time', async () => {
    const paths = ['/api/v1/auth/token', await newProtectedLink()];
    const sockets = await Promise.all(
      paths.map((path) =>
        openSocket(api.server.url, `${head(path, asJson, 'Content-Length: 100')}{`),
      ),
    );
    for (const { ended } of sockets) expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('token requests of an address', () => {
  const askFrom = (address: string) =>
    ask(JSON.stringify(api.credentials), { 'x-forwarded-for': address });

  it('are limited, including successful ones', async () => {
    // The limiter reads the time of the process, which stands still here.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => askFrom('192.0.2.7')));
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = outcomes.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.headers.get('retry-after')).toBe('60');
    expect(refused[0]?.error.message).toBe(
      'An address may send the token endpoint 20 requests a minute',
    );
    expect((await askFrom('192.0.2.8')).status).toBe(200);
    const { clientId, clientSecret } = api.credentials;
    const oauth = await ask(
      `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
      { ...form, 'x-forwarded-for': '192.0.2.7' },
    );
    expect(oauth.status).toBe(429);
    expect(oauth.body).toMatchObject({ error: 'temporarily_unavailable' });
    vi.setSystemTime(Date.now() + 60_000);
    expect((await askFrom('192.0.2.7')).status).toBe(200);
  });

  it('are refused before their body is read', async () => {
    for (let at = 0; at < 20; at += 1) await ask('{}', { 'x-forwarded-for': '192.0.2.9' });
    const { ended, socket } = await openSocket(
      api.server.url,
      head(
        '/api/v1/auth/token',
        asJson,
        'X-Forwarded-For: 192.0.2.9',
        'Expect: 100-continue',
        'Content-Length: 100',
      ),
    );
    await once(socket, 'data');
    socket.destroy();
    expect(await ended).toMatch(/^HTTP\/1\.1 429 /);
  });
});

describe('half-sent bodies', () => {
  it('release their slots to others when eight organizations stall or send 16 KB a second', async () => {
    const callers = await Promise.all(
      Array.from({ length: 8 }, async () => api.newcomer('enterprise')),
    );
    const slow = (
      await Promise.all(
        callers.map(({ token }) => {
          const authorization = `Authorization: Bearer ${token}`;
          const start = head('/api/v1/urls', authorization, asJson, 'Content-Length: 4000000');
          return openSockets(api.server.url, 4, start + ' '.repeat(20_000));
        }),
      )
    ).flat();
    const drip = setInterval(() => {
      for (const { socket } of slow.slice(16)) socket.write(' '.repeat(1_600));
    }, 100);
    onTestFinished(() => clearInterval(drip));
    const long = { targetUrl, description: 'x'.repeat(5_000) };
    const startedAt = performance.now();
    const answer = await api.call('bulkCreateUrls', { body: { urls: Array(20).fill(long) } });
    expect(answer.status).toBe(201);
    // The slots are free before the time limit of whole requests.
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    for (const { ended } of slow) expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
  }, 40_000);

  it('hold little memory on 300 connections, while other organizations are served', async () => {
    const other = await api.newcomer('enterprise');
    const part = Buffer.alloc(1024 * 1024, ' ');
    const before = process.memoryUsage().arrayBuffers;
    const sockets = await openSockets(
      api.server.url,
      300,
      head('/api/v1/urls', withToken(), asJson, `Content-Length: ${2 * part.length}`),
    );
    for (const { socket } of sockets) socket.write(part);
    // Each of these bodies takes tens of turns of the event loop, in which the others could be read.
    const urls = Array(100).fill({ targetUrl: targetUrl + 'x'.repeat(8_000) });
    let heldMb = 0;
    for (let round = 0; round < 4; round += 1) {
      const answer = await other.call('bulkCreateUrls', { body: { urls } });
      expect(answer.status).toBe(201);
      heldMb = Math.max(heldMb, (process.memoryUsage().arrayBuffers - before) / 1024 / 1024);
    }
    expect(heldMb).toBeLessThan(100);
    for (const { socket } of sockets) socket.destroy();
  });
});

describe('with a token, a body', () => {
  it('gets 100 Continue only after authentication, scope and rate limit', async () => {
    const expecting = ['Expect: 100-continue', asJson, 'Content-Length: 37', 'Connection: close'];
    const body = `{"targetUrl":"https://example.com/"}\n`;
    const refused = await openSocket(api.server.url, head('/api/v1/urls', ...expecting));
    await once(refused.socket, 'data');
    refused.socket.destroy();
    expect(await refused.ended).toMatch(/^HTTP\/1\.1 401 /);
    const { socket, ended } = await openSocket(
      api.server.url,
      head('/api/v1/urls', withToken(), ...expecting),
    );
    await once(socket, 'data');
    socket.write(body);
    expect(await ended).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });

  it('is refused when it is compressed, and the error names the encoding', async () => {
    const body = gzipSync(`{"targetUrl":"${targetUrl}"}`);
    for (const answer of [
      await post(body, { 'content-encoding': 'gzip' }),
      await ask(body, { 'content-encoding': 'gzip' }),
      await ask(body, { 'content-encoding': 'gzip' }, await newProtectedLink()),
    ]) {
      expect(answer.outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
      expect(answer.error.message).toContain('"gzip": must be identity');
    }
  });

  it('with 100 links and every field at its limit is accepted and does not delay redirects', async () => {
    const text = (length: number) => randomBytes(length).toString('base64url').slice(0, length);
    const urls = Array.from({ length: 100 }, () => ({
      targetUrl: (targetUrl + text(8192)).slice(0, 8192),
      title: text(500),
      description: text(5000),
      category: text(100),
      tags: Array.from({ length: 20 }, () => text(100)),
      utmSource: text(512),
      utmMedium: text(512),
      utmCampaign: text(512),
      utmTerm: text(512),
      utmContent: text(512),
      customUtmParams: Object.fromEntries(Array.from({ length: 20 }, () => [text(64), text(512)])),
      sourceDomain: text(253),
      expiresAt: '2031-01-01T00:00:00.000Z',
      redirectType: 301,
    }));
    const body = Buffer.from(JSON.stringify({ urls }));
    const delayMs = await longestDelayMs(async (attempt) => {
      const key = { 'idempotency-key': `full-${attempt}` };
      const answer = await post(body, key, '/api/v1/urls/bulk');
      expect(answer.status).toBe(201);
      expect(answer.data).toMatchObject({ createdCount: 100, failedCount: 0 });
    });
    expect(delayMs).toBeLessThan(maxDelayMs);
  });
});

describe('a request that is refused early', () => {
  it('gets its response even if the client sends the whole body before it reads', async () => {
    const length = 8 * 1024 * 1024;
    for (const lines of [[asJson], [asJson, 'Connection: close']]) {
      const { socket, ended } = await openSocket(
        api.server.url,
        head('/api/v1/urls', ...lines, `Content-Length: ${length}`),
      );
      socket.pause();
      await new Promise((resolve) => socket.write(Buffer.alloc(length), resolve));
      socket.resume();
      await once(socket, 'data');
      socket.destroy();
      expect(await ended).toMatch(/^HTTP\/1\.1 401 /);
    }
  });

  it('loses its connection when the client does not stop sending', async () => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const { socket, ended } = await openSocket(
      api.server.url,
      head('/api/v1/urls', 'Transfer-Encoding: chunked'),
    );
    const send = () => {
      while (socket.writable && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    expect(await ended).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('gets a short error, however long the request is', async () => {
    const long = 'x'.repeat(20_000);
    const answers = [
      await api.send('GET', `/api/v1/${long}`),
      await post('{}', { 'content-encoding': long }),
      await post('{}', { 'content-type': `application/json; charset=${long}` }),
      await api.send('GET', `/api/v1/urls?${long}=1`),
      await api.send('DELETE', `/api/v1/urls/bulk?ids=${','.repeat(60_000)}`),
    ];
    for (const { status, text } of answers) {
      expect([400, 404, 415]).toContain(status);
      expect(text.length).toBeLessThan(20_000);
    }
    expect(answers.slice(0, 4).every(({ text }) => text.length < 1_000)).toBe(true);
  });
});
