import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const api = await startForFile();

const json = { 'content-type': 'application/json' };
const post = (
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = json,
  path = '/api/v1/urls',
) => api.send('POST', path, { body, headers });

describe('bodies that are not JSON', () => {
  it.each([
    ['nothing but a brace', '{'],
    ['white space', ' \n'],
    ['100,000 open brackets', '['.repeat(100_000)],
  ])('%s is refused', async (_, body) => {
    const answer = await post(body);
    expect(answer.outcome).toBe('400 VALIDATION_FAILED');
    expect(answer.error.details?.[0]?.message).toMatch(/JSON|nested at most 32 levels/);
  });

  it.each(['null', 'true', '7', '"text"', '[]', '[{"targetUrl":"https://example.com/"}]'])(
    '%s is JSON, but no object',
    async (body) => {
      for (const path of ['/api/v1/urls', '/api/v1/urls/bulk', '/api/v1/auth/token']) {
        const answer = await post(body, json, path);
        expect(answer.outcome).toBe('400 VALIDATION_FAILED');
        expect(answer.error.message).toContain('must be a JSON object');
      }
    },
  );

  it('an empty body is refused', async () => {
    for (const path of ['/api/v1/urls', '/api/v1/urls/bulk', '/api/v1/auth/token']) {
      expect((await post('', json, path)).outcome).toBe('400 VALIDATION_FAILED');
      expect((await api.send('POST', path)).outcome).toBe('400 VALIDATION_FAILED');
    }
  });
});

describe('content types', () => {
  const body = '{"targetUrl":"https://example.com/"}';

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON;CHARSET="UTF-8"',
    'application/problem+json',
  ])('%s is read', async (type) => {
    expect((await post(body, { 'content-type': type })).status).toBe(201);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json; charset=iso-8859-1',
    'x'.repeat(2000),
  ])('%s is refused', async (type) => {
    const answer = await post(body, { 'content-type': type });
    expect(answer.outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
    expect(answer.text.length).toBeLessThan(1000);
  });

  it('a request without Content-Type is refused with the value to set', async () => {
    const answer = await post(Buffer.from(body), {});
    expect(answer.outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
    expect(answer.error.message).toContain('Content-Type');
  });
});

describe('bodies that are too large', () => {
  const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024, 0x20);

  it('20 MB without a Content-Length get 413, and the server continues', async () => {
    const chunk = megabytes(1);
    const body = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 20; sent += 1) controller.enqueue(chunk);
        controller.close();
      },
    });
    const init = { body, headers: json, duplex: 'half' };
    expect((await api.send('POST', '/api/v1/urls', init)).outcome).toBe('413 PAYLOAD_TOO_LARGE');
    expect((await api.call('listUrls')).status).toBe(200);
  });
});
