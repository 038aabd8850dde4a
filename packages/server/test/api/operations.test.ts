import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { api as table } from '../../src/api/api.js';
import { startForFile } from './start-server.js';

const api = await startForFile();

describe('GET /openapi.yaml', () => {
  it('is the committed openapi.yaml', async () => {
    const file = new URL('../../../../openapi.yaml', import.meta.url);
    expect((await api.visit('/openapi.yaml')).text).toBe(readFileSync(file, 'utf8'));
    const json = JSON.parse((await api.visit('/openapi.json')).text);
    expect(json).toEqual(parse(readFileSync(file, 'utf8')));
  });

  it('as JSON, has the operations of some tags, and no reference to anything else', async () => {
    const { text } = await api.visit('/openapi.json?tags=URLs,Webhooks');
    const { tags, paths, webhooks, components } = JSON.parse(text);
    expect(tags.map(({ name }: { name: string }) => name)).toEqual(['URLs', 'Webhooks']);
    expect(Object.keys(paths['/api/v1/urls'])).toEqual(['post', 'get']);
    expect(webhooks).toHaveProperty(['url.created']);
    expect(paths).not.toHaveProperty(['/api/v1/admin/organizations']);
    expect(components.schemas).not.toHaveProperty('OrganizationPage');
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      expect(components[kind]).toHaveProperty([name]);
    }
    const refused = await api.visit('/openapi.json?tags=Nothing');
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('Administration'),
    ]);
    expect((await api.visit('/openapi.yaml?tags=URLs')).status).toBe(400);
    expect((await api.visit('/openapi.json?tags=Domains,People,Sessions')).status).toBe(200);
  });
});

describe('versioning', () => {
  it('/health/live, /metrics and openapi.yaml have the version of the package', async () => {
    const manifest = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    expect((await api.visit('/health/live')).body).toEqual({ status: 'ok', version });
    const metrics = (await api.visit('/metrics')).text.split('\n');
    expect(metrics).toContain(`shorty_build_info{version="${version}"} 1`);
    expect(parse((await api.visit('/openapi.yaml')).text).info).toMatchObject({ version });
  });

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
  it("is the client's when it is valid, in errors too", async () => {
    const headers = { 'x-request-id': 'caller-1.2:3_4' };
    for (const path of ['/api/v1/usage', '/health/live', '/no-such-link', '/nothing.here']) {
      const response = await api.visit(path, { headers });
      expect(response.headers.get('x-request-id')).toBe('caller-1.2:3_4');
    }
  });

  it('is different for each request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () =>
        (await api.visit('/health/live')).headers.get('x-request-id'),
      ),
    );
    expect(new Set(ids).size).toBe(20);
  });
});
