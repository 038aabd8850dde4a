import { afterAll, describe, expect, it } from 'vitest';
import { api as table } from '../../src/api/api.js';
import type { Route } from '../../src/contract/define-route.js';
import { startServer, type TestServer } from './start-server.js';

const app = 'https://app.example.com';
const other = 'http://localhost:5173';
const apiRoutes = (table as readonly Route[]).filter(({ path }) => path.startsWith('/api/v1/'));

const servers: Record<'off' | 'list' | 'any', TestServer> = {} as never;
servers.off = await startServer();
servers.list = await startServer({ corsOrigins: [app, other] });
servers.any = await startServer({ corsOrigins: '*' });
afterAll(() => Promise.all(Object.values(servers).map((server) => server.stop())));

const corsHeaders = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

function preflight(name: keyof typeof servers, path: string, method: string, origin = app) {
  return fetch(servers[name].server.url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,idempotency-key,if-match',
    },
  });
}

function get(name: keyof typeof servers, path: string, origin: string, token?: string) {
  return fetch(servers[name].server.url + path, {
    redirect: 'manual',
    headers: { origin, ...(token && { authorization: `Bearer ${token}` }) },
  });
}

describe('a preflight', () => {
  it.each(apiRoutes.map(({ operationId, method, path }) => [operationId, method, path] as const))(
    'of %s is answered',
    async (_, method, path) => {
      const request = path.replace(/\{\w+\}/g, '1');
      const response = await preflight('list', request, method.toUpperCase());
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe(app);
      expect(response.headers.get('access-control-allow-methods')).toContain(method.toUpperCase());
      expect(response.headers.get('access-control-allow-headers')).toBe(
        'authorization,content-type,idempotency-key,if-match',
      );
      expect(response.headers.get('access-control-max-age')).toBe('7200');
      expect(response.headers.get('vary')).toContain('Origin');
    },
  );

  it('is refused from an origin that is not in the list', async () => {
    for (const origin of ['https://evil.example', 'null', `${app}.evil.example`, `${app}:444`]) {
      const response = await preflight('list', '/api/v1/urls', 'POST', origin);
      expect(response.headers.has('access-control-allow-origin')).toBe(false);
    }
  });

  it('is refused by default', async () => {
    const response = await preflight('off', '/api/v1/urls', 'POST');
    expect(response.status).toBe(405);
    expect(corsHeaders(response)).toEqual([]);
    expect(response.headers.has('vary')).toBe(false);
  });
});

describe('a response', () => {
  it.each([
    ['list', app, app],
    ['list', other, other],
    ['any', 'https://anything.example', '*'],
    ['any', 'null', '*'],
  ] as const)(
    'of the server %s to %s allows %s, without credentials',
    async (name, origin, allowed) => {
      const response = await get(name, '/api/v1/urls', origin, servers[name].token);
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe(allowed);
      expect(response.headers.has('access-control-allow-credentials')).toBe(false);
      const exposed = response.headers.get('access-control-expose-headers')?.split(',');
      expect(exposed).toEqual(
        expect.arrayContaining([
          ...['RateLimit-Limit', 'RateLimit-Policy', 'RateLimit-Remaining', 'RateLimit-Reset'],
          ...['Retry-After', 'X-Request-Id', 'ETag', 'Location'],
        ]),
      );
    },
  );

  it.each(['/api/v1/urls', '/api/v1/nothing', '/api/v1/urls/x%00'])(
    'with an error at %s can be read, too',
    async (path) => {
      const response = await get('list', path, app);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.headers.get('access-control-allow-origin')).toBe(app);
    },
  );

  it('varies by origin, also for a request without one', async () => {
    const response = await fetch(`${servers.list.server.url}/api/v1/usage`);
    expect(response.headers.get('vary')).toBe('Origin');
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
  });

  it('outside the API, such as a redirect or an image, has no such header', async () => {
    const { any } = servers;
    const body = { targetUrl: 'https://example.com/', customSlug: 'cors-link' };
    const { id } = await any.createLink(body);
    const qr = (await any.call('createQr', { body: { urlId: id } })).data;
    const paths = ['/cors-link', '/nothing-here', '/', '/docs', '/openapi.yaml', '/health/live'];
    for (const path of [...paths, qr.downloadUrl, qr.previewUrl]) {
      expect(corsHeaders(await get('any', path, app)), path).toEqual([]);
    }
  });
});
