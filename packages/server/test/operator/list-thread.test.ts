import { beforeAll, describe, expect, it } from 'vitest';
import type { ZodObject } from 'zod';
import { build } from '../../../../scripts/bootstrap.mjs';
import { api } from '../../src/api/api.js';
import type { Route } from '../../src/contract/define-route.js';
import { call, newSettings, pathOf, serveWithToken } from './server-process.js';

beforeAll(build, 120_000);

const operatorKey = 'operator-key-of-32-characters-000';
const listRoutes = (api as readonly Route[]).filter(
  ({ query }) => query && 'offset' in (query as ZodObject).shape,
);

/** Starts a server whose threads load a module before their own. */
async function start(preload: string) {
  const settings = newSettings();
  const { token, ...server } = await serveWithToken({
    ...settings,
    SHORTY_OPERATOR_KEY: operatorKey,
    TEST_MARK: `${pathOf(settings)}.mark`,
    NODE_OPTIONS: `--import ${new URL(preload, import.meta.url).href}`,
  });
  return {
    server,
    token,
    request: (path: string, body?: unknown) =>
      call(server.origin, path.startsWith('/admin/') ? operatorKey : token, path, body),
  };
}

describe('the list thread', () => {
  it('reads every list of the contract, and the main thread reads none', async () => {
    const { server, request } = await start('./print-statements.mjs');
    const url = await request('/urls', { targetUrl: 'https://example.com/', title: 'Found' });
    // The thread sees each change at once.
    const { data: found } = await request('/urls?search=FOUND');
    expect(found).toMatchObject({ total: 1, items: [{ id: url.data.id }] });
    await request('/qr', { urlId: url.data.id });
    const webhook = await request('/webhooks', {
      url: 'https://receiver.example/',
      events: ['url.created'],
    });
    expect(listRoutes.length).toBeGreaterThanOrEqual(6);
    for (const { path } of listRoutes) {
      const owner = path.includes('/admin/') ? { id: url.data.organizationId } : url.data;
      const { id } = path.includes('/webhooks/') ? webhook.data : owner;
      const at = path.replace('/api/v1', '').replace(/\{\w+\}/, String(id));
      const filters = path.endsWith('/urls') ? '&search=example&tag=a&isActive=true' : '';
      for (const query of ['?limit=1', `?limit=1&offset=99${filters}`]) {
        expect({ path, status: (await request(at + query)).status }).toEqual({ path, status: 200 });
      }
    }
    const statements = server.output().match(/(?<=main thread prepares: ).+/g) ?? [];
    expect(statements).toContainEqual(expect.stringContaining('access_tokens'));
    const lists = /^(select|with)\b.*(\boffset\b|created_at"? desc)/i;
    expect(statements.filter((text) => lists.test(text))).toEqual([]);
  }, 60_000);

  it('is replaced when it ends: only the call that ended it fails, with 503, and is counted', async () => {
    const { server, request, token } = await start('./end-list-thread.mjs');
    const response = await fetch(`${server.origin}/api/v1/urls`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await response.json()).toMatchObject({ error: { code: 'UNAVAILABLE' } });
    expect((await request('/urls')).status).toBe(200);
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    expect(metrics).toContain('shorty_uncaught_errors_total{source="thread"} 1\n');
    expect(metrics).toContain('shorty_unavailable_responses_total{error="ThreadEndedError"} 1\n');
  }, 60_000);
});
