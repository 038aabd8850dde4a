import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/operations/commands/create-logger.js';
import { sendRaw } from '../api/raw-http.js';
import { startAttackedServer } from './attacked-server.js';

const written: string[] = [];
const logger = createLogger('trace', { write: (line) => void written.push(line) });
const api = await startAttackedServer({ logger });
afterAll(() => api.stop());
beforeEach(() => {
  written.length = 0;
});

const get = (path: string, ...headers: string[]) =>
  sendRaw(api.server.url, [
    [`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join(
      '\r\n',
    ),
  ]);
const create = (body: object) =>
  api.call('createUrl', { body: { targetUrl: 'https://example.com/', ...body } });
/** Returns the names of the headers of a response. */
const headerNames = (answer: string) =>
  (answer.split('\r\n\r\n')[0] ?? '')
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(':')[0]);

describe('input injects no header', () => {
  const injected = '\r\nSet-Cookie: a=b\r\n\r\n<script>';

  it.each([
    ['targetUrl', `https://example.com/${injected}`],
    ['customSlug', `sale${injected}`],
    ['utmSource', `mail${injected}`],
    ['customUtmParams', { 'a\r\nb': 'c' }],
  ])('through %s %j', async (field, value) => {
    const answer = await create({ [field]: value });
    if (answer.status !== 201) {
      expect(answer.outcome).toBe('400 VALIDATION_FAILED');
      return;
    }
    const redirect = await get(`/${answer.data.shortCode}`);
    expect(headerNames(redirect)).not.toContain('Set-Cookie');
    expect(/^Location: (.*)\r$/m.exec(redirect)?.[1]).toMatch(/^[\x21-\x7e]+$/);
  });

  it('through encoded line breaks in a target, which stay encoded', async () => {
    const targetUrl = 'https://example.com/%0d%0aSet-Cookie:%20a=b?%0D%0A#%0a';
    const redirect = await get(`/${(await create({ targetUrl })).data.shortCode}`);
    expect(redirect).toContain(`\r\nLocation: ${targetUrl}\r\n`);
    expect(headerNames(redirect)).not.toContain('Set-Cookie');
  });

  it.each(['a b', '{"level":50}', 'a'.repeat(129)])(
    'through X-Request-Id %j, which is replaced',
    async (requestId) => {
      const answer = await get('/health/live', `X-Request-Id: ${requestId}`);
      expect(/^X-Request-Id: (.*)\r$/m.exec(answer)?.[1]).toMatch(/^[\w.:-]{1,128}$/);
      expect(headerNames(answer)).not.toContain('Set-Cookie');
    },
  );
});

it.each([
  '/api/v1/a%0a{"level":60,"msg":"forged"}',
  '/api/v1/a%0d%0a%1b[31m',
  '/api/v1/"}\u0022,"level":60,"x":"',
])(
  'input injects no line into the log through %j: the log has one JSON line for each request',
  async (path) => {
    await get(path, 'X-Request-Id: forged"}\\n{"a":"', 'User-Agent: "}');
    await expect.poll(() => written.length).toBeGreaterThan(0);
    const lines = written.join('').split('\n');
    expect(lines.pop()).toBe('');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/\p{Cc}/u);
    const line = JSON.parse(lines[0] as string) as Record<string, unknown>;
    expect(line).toMatchObject({ level: 30, method: 'GET', status: 404 });
    expect(line.msg).toBeUndefined();
  },
);
