import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { errorResponse } from '../../src/contract/errors.js';
import { sendRaw } from '../api/raw-http.js';
import { startAttackedServer } from './attacked-server.js';

const api = await startAttackedServer();
afterAll(() => api.stop());
afterEach(() => api.servesOthers());

const raw = (...parts: (string | Buffer)[]) => sendRaw(api.server.url, parts);
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
const lines = (...each: string[]) => `${each.join('\r\n')}\r\n\r\n`;
const get = (path: string, ...headers: string[]) =>
  lines(`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers);
const post = (...headers: string[]) => lines('POST /api/v1/auth/token HTTP/1.1', ...headers);
const host = 'Host: localhost';
const json = 'Content-Type: application/json';
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

describe('the server refuses an ambiguous request and closes its connection', () => {
  it.each([
    ['two hosts', lines('GET /health/live HTTP/1.1', host, 'Host: evil.example')],
    [
      'a length and chunks',
      `${post(host, json, 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['two lengths', `${post(host, json, 'Content-Length: 2', 'Content-Length: 3')}{}`],
    [
      'a chunk size that is not a number',
      `${post(host, json, 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
    ],
    ['a space before the colon', lines('GET /health/live HTTP/1.1', 'Host : localhost')],
    [
      'a bare CR in a header',
      lines('GET /health/live HTTP/1.1', host, 'X-Request-Id: a\rSet-Cookie: b'),
    ],
    ['a NUL in the path', lines('GET /health\0/live HTTP/1.1', host)],
    ['a target that is not a path', lines('GET example.com/health HTTP/1.1', host)],
    ['HTTP/0.9', 'GET /health/live\r\n\r\n'],
    ['TLS', Buffer.from('16030100c8010000c40303', 'hex')],
  ])('%s', async (_, request) => {
    const answer = await raw(request);
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('Connection: close');
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    const [, body = ''] = answer.split('\r\n\r\n');
    const { error } = errorResponse.parse(JSON.parse(body));
    expect(answer).toMatch(new RegExp(`^X-Request-Id: ${error.requestId}\r$`, 'im'));
  });

  it('the server refuses CONNECT', async () => {
    expect(await raw(lines('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443'))).toBe('');
  });
});

describe('request targets', () => {
  it('the host of an absolute target replaces the Host header (RFC 9112 §3.2.2)', async () => {
    const target = `${api.server.url}/health/live`;
    expect(statusOf(await raw(get(target)))).toBe(200);
    const { shortCode } = await api.createLink({ targetUrl: 'https://example.com/absolute' });
    const link = get(`http://localhost/${shortCode}?a=b`);
    expect(await raw(link)).toContain('Location: https://example.com/absolute\r\n');
  });

  it.each([
    '/../../../../etc/passwd',
    '/api/qr/..%2f..%2fetc%2fpasswd/download',
    '/\\..\\..\\etc\\passwd',
    '/%ff%fe',
    `/${'a'.repeat(60_000)}`,
    `/?${'a=b&'.repeat(15_000)}`,
  ])('%.40s matches no route and no other host', async (path) => {
    const answer = await raw(get(path));
    expect(path.startsWith('/?') ? [200] : [400, 401, 404]).toContain(statusOf(answer));
    expect(answer).not.toMatch(/root:|\nLocation:/i);
  });

  it('the server refuses a target of 200 KB', async () => {
    expect(statusOf(await raw(get(`/${'a'.repeat(200_000)}`)))).toBe(431);
  });
});

describe('pipelined requests', () => {
  const alive = lines('GET /health/live HTTP/1.1', host);
  const count = (answer: string, status: number) => answer.split(`HTTP/1.1 ${status} `).length - 1;

  it('for a link get their responses in order, and each visit is counted once', async () => {
    const body = { targetUrl: 'https://example.com/pipelined' };
    const { id, shortCode } = await api.createLink(body);
    const visit = (at: number) =>
      lines(`GET /${shortCode} HTTP/1.1`, host, `User-Agent: ${browser}`, `X-Request-Id: v-${at}`);
    const ids = Array.from({ length: 50 }, (_, at) => `v-${at}`);
    const answer = await raw(ids.map((_, at) => visit(at)).join(''), get('/health/live'));
    expect(count(answer, 307)).toBe(50);
    const sentBack = answer.matchAll(/^x-request-id: (v-\d+)\r$/gim);
    expect(Array.from(sentBack, ([, sent]) => sent)).toEqual(ids);
    await expect
      .poll(async () => (await api.getLink(id)).clickCount, {
        message: 'visits of the link',
        timeout: 10_000,
      })
      .toBe(50);
  });

  it('all get a response when the client closes its side after the last one', async () => {
    const body = { targetUrl: 'https://example.com/half-closed' };
    const { shortCode } = await api.createLink(body);
    const token = `Authorization: Bearer ${api.token}`;
    const requests = [
      alive,
      lines(`GET /${shortCode} HTTP/1.1`, host),
      lines('GET /api/v1/urls?search=half HTTP/1.1', host, token),
      `${lines('POST /api/v1/urls HTTP/1.1', host, token, json, 'Content-Length: 35')}{"targetUrl":"https://example.com"}`,
      lines('GET /api/v1/analytics/overview HTTP/1.1', host, token),
    ];
    const answer = await sendRaw(api.server.url, requests, { halfClose: true });
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '307', '200', '201', '200']);
  });

  it('garbage between requests closes the connection, and later requests get no response', async () => {
    const answer = await raw(alive.repeat(5), 'GARBAGE\r\n\r\n', alive.repeat(5));
    expect(count(answer, 200)).toBeLessThanOrEqual(5);
    expect(count(answer, 400)).toBe(1);
    expect(answer.slice(answer.lastIndexOf('HTTP/1.1 '))).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('a request inside the body of another is not executed', async () => {
    const hidden = get('/health/live');
    const body = `POST /api/v1/auth/token HTTP/1.1\r\n${host}\r\n${json}\r\nConnection: close\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`;
    const answer = await raw(body);
    expect([count(answer, 400), count(answer, 200)]).toEqual([1, 0]);
  });
});
