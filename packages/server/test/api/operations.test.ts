import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { api as table } from '../../src/contract/api.js';
import { startServer, type TestServer } from './start-server.js';

let api: TestServer;
beforeAll(async () => {
  api = await startServer();
});
afterAll(() => api.stop());

describe('health', () => {
  it.each(['/health/live', '/health/ready'])('GET %s answers without a token', async (path) => {
    const answer = await api.visit(path);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ status: 'ok' });
    expect((await api.visit(path, { method: 'HEAD' })).status).toBe(200);
  });
});

describe('GET /openapi.yaml', () => {
  it('is the committed description', async () => {
    const file = new URL('../../../../openapi.yaml', import.meta.url);
    expect((await api.visit('/openapi.yaml')).text).toBe(readFileSync(file, 'utf8'));
  });
});

describe('GET /api/v1/usage', () => {
  it("counts active links against the plan's bundle", async () => {
    const free = await api.signIn(await api.createOrganization('free'));
    const body = { targetUrl: 'https://example.com/' };
    const usage = async () => (await free.call('getUsage')).data;
    expect(await usage()).toEqual({
      period: '2030-01',
      plan: 'free',
      links: { used: 0, included: 50 },
    });
    const { id } = (await free.call('createUrl', { body })).data;
    await free.call('createUrl', { body });
    expect((await usage()).links.used).toBe(2);
    await free.call('deleteUrl', { params: { id } });
    await free.call('deleteUrl', { params: { id } });
    expect((await usage()).links.used).toBe(1);
    await free.call('updateUrl', { params: { id }, body: { isActive: true } });
    expect((await usage()).links.used).toBe(2);
  });

  it.each([
    ['free', 50],
    ['developer', 10_000],
    ['scale', 250_000],
    ['enterprise', null],
  ] as const)('the plan %s includes %j links', async (plan, included) => {
    const caller = await api.signIn(await api.createOrganization(plan));
    expect((await caller.call('getUsage')).data).toMatchObject({ plan, links: { included } });
  });

  it('the default organization of a new server is enterprise: no limits', async () => {
    expect((await api.call('getUsage')).data).toMatchObject({ plan: 'enterprise' });
  });

  it('stops a Free organization at its bundle, and lets it reactivate only with room', async () => {
    const free = await api.signIn(await api.createOrganization('free'));
    const body = { targetUrl: 'https://example.com/' };
    const { id } = (await free.call('createUrl', { body })).data;
    await free.call('deleteUrl', { params: { id } });
    const urls = Array.from({ length: 50 }, () => body);
    await free.call('bulkCreateUrls', { body: { urls } });
    expect((await free.call('createUrl', { body })).outcome).toBe('402 QUOTA_EXCEEDED');
    const back = await free.call('updateUrl', { params: { id }, body: { isActive: true } });
    expect(back.outcome).toBe('402 QUOTA_EXCEEDED');
    expect((await free.call('getUsage')).data.links.used).toBe(50);
  });
});

describe('versioning', () => {
  it('the API is versioned by the path prefix /api/v1', () => {
    const outside = table.filter(({ path }) => path.startsWith('/api/')).map(({ path }) => path);
    for (const path of outside) expect(path).toMatch(/^\/api\/(v1|qr)\//);
  });

  it.each(['/api/v1', '/api/v2/urls', '/api/urls', '/api/v1/URLS', '/api/v1/urls/1/2'])(
    '%s is nothing: 404 in the envelope',
    async (path) => {
      expect((await api.visit(path)).outcome).toBe('404 NOT_FOUND');
    },
  );
});

describe('X-Request-Id', () => {
  it("is the caller's when it is sane, in errors too", async () => {
    const headers = { 'x-request-id': 'caller-1.2:3_4' };
    for (const path of ['/api/v1/usage', '/health/live', '/no-such-link', '/nothing.here']) {
      const answer = await api.visit(path, { headers });
      expect(answer.headers.get('x-request-id')).toBe('caller-1.2:3_4');
    }
  });

  it.each(['', 'a b', 'x'.repeat(129), '<script>', 'ä'])('%j is replaced', async (sent) => {
    const answer = await api.visit('/api/v1/usage', { headers: { 'x-request-id': sent } });
    expect(answer.headers.get('x-request-id')).not.toBe(sent);
  });

  it('is another one for each request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () =>
        (await api.visit('/health/live')).headers.get('x-request-id'),
      ),
    );
    expect(new Set(ids).size).toBe(20);
  });
});
