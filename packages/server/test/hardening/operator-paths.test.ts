import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { api as table } from '../../src/api/api.js';
import type { Route } from '../../src/contract/define-route.js';
import { createServer } from '../../src/create-server.js';
import { sendRaw } from '../api/raw-http.js';
import { startForTest, startServer, type TestServer } from '../api/start-server.js';
import { scratchFolder } from '../scratch-folder.js';
import { absoluteVariants, pathVariants } from './path-variants.js';

const routes = (table as readonly Route[]).filter((route) => !route.isForVisitors);
const operatorRoutes = routes.filter(({ audience }) => audience === 'operator');
// They need the operator key.
const administration = operatorRoutes.filter(({ access }) => access === 'operator');
const sample = '7';
const samplePath = ({ path }: Route) => path.replace(/\{\w+\}/g, sample);

/** Sends a request target unchanged, and returns the status of the response. */
async function statusOf(origin: string, method: string, target: string): Promise<number> {
  const request = `${method.toUpperCase()} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(await sendRaw(origin, [request]))?.[1]);
}

/** Returns the number of requests of each operation. */
async function reached(metricsUrl: string): Promise<Map<string, number>> {
  const text = await (await fetch(metricsUrl)).text();
  const counts = new Map<string, number>();
  const samples = text.matchAll(/^shorty_api_requests_total\{operation="(\w+)",.*\} (\d+)$/gm);
  for (const [, operation = '', count] of samples) {
    counts.set(operation, (counts.get(operation) ?? 0) + Number(count));
  }
  return counts;
}

function requestSocket(socketPath: string, path: string) {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    get({ socketPath, path }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.once('end', () => resolve({ status: response.statusCode, body }));
    }).once('error', reject);
  });
}

/** Returns whether a target equals the path of a route, with any values of its parameters. */
function isExact(route: Route, target: string): boolean {
  const [path = ''] = target.split('?');
  const pattern = route.path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/\\\\#]+');
  return new RegExp(`^${pattern}$`).test(path) && !target.includes('#');
}

describe('a path that differs from the route of the contract', () => {
  let api: TestServer;
  beforeAll(async () => {
    api = await startServer();
    return () => api.stop();
  });

  // All routes are mounted alike, so every fourth suffices beside those of operators.
  const some = routes.filter(({ audience }, at) => audience === 'operator' || at % 4 === 0);
  it.each(some.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'does not reach %s',
    async (_, route) => {
      const { url } = api.server;
      const path = samplePath(route);
      const targets = [
        ...pathVariants(path).filter((target) => !isExact(route, target)),
        ...absoluteVariants(path, url).filter(
          (target) => !isExact(route, target.slice(url.length)),
        ),
      ];
      expect(targets.length).toBeGreaterThan(80);
      const isRead = route.operationId === 'getMetrics';
      const count = async () => (await reached(`${url}/metrics`)).get(route.operationId) ?? 0;
      const before = await count();
      for (let at = 0; at < targets.length; at += 50) {
        const next = targets.slice(at, at + 50);
        await Promise.all(next.map((target) => statusOf(url, route.method, target)));
      }
      // The request for the metrics is counted, too.
      expect((await count()) - before).toBe(isRead ? 1 : 0);
      await statusOf(url, route.method, path);
      expect((await count()) - before).toBe(isRead ? 3 : 1);
    },
  );
});

const loopback = { adminListen: { host: '127.0.0.1', port: 0 } } as const;

/** Returns a path for a socket. Its folder is deleted after the test. */
function socketPath(): string {
  const folder = scratchFolder();
  return join(folder, 'admin.sock');
}

describe('SHORTY_ADMIN_LISTEN', () => {
  it('removes the operator routes, and only those, from the public port', async () => {
    const api = await startForTest(loopback);
    const admin = api.server.adminUrl as string;
    expect(administration.every(({ path }) => path.startsWith('/api/v1/admin/'))).toBe(true);
    const open = operatorRoutes.filter((route) => !administration.includes(route));
    expect(open.map(({ path }) => path).sort()).toEqual([
      '/health/live',
      '/health/ready',
      '/internal/tls-allowed',
      '/metrics',
    ]);
    const before = await reached(`${admin}/metrics`);
    for (const route of routes) {
      const isOperators = route.audience === 'operator';
      const path = samplePath(route);
      await statusOf(api.server.url, route.method, path);
      const statusOnAdmin = await statusOf(admin, route.method, path);
      if (!isOperators) expect([route.path, statusOnAdmin]).toEqual([route.path, 404]);
    }
    const counts = await reached(`${admin}/metrics`);
    for (const { operationId } of routes.filter(({ audience }) => audience !== 'operator')) {
      const count = (counts.get(operationId) ?? 0) - (before.get(operationId) ?? 0);
      expect([operationId, count]).toEqual([operationId, 1]);
    }
    for (const { path, method } of operatorRoutes) {
      const targets = [path, `${path}?a=b`, ...pathVariants(path), api.server.url + path];
      const statuses = await Promise.all(
        targets.map((target) => statusOf(api.server.url, method, target)),
      );
      const served = targets.filter((_, at) => ![400, 404].includes(statuses[at] as number));
      expect(served).toEqual([]);
    }
  });

  it('serves the route of the TLS proxy with the same refusals as the public port', async () => {
    const server = createServer({ ...loopback, baseUrl: 'https://sho.example' });
    await server.start();
    onTestFinished(() => server.stop());
    const ask = (domain: string, headers = {}) =>
      fetch(`${server.adminUrl}/internal/tls-allowed?domain=${domain}`, { headers });
    expect((await ask('sho.example')).status).toBe(200);
    expect((await ask('evil.example')).status).toBe(404);
    expect((await ask('sho.example', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(404);
  });

  it('reports on a unix socket that the server is stopping until the public port is drained', async () => {
    const path = socketPath();
    const server = createServer({ adminListen: { path } });
    await server.start();
    expect(server.adminUrl).toBe(path);
    expect((await requestSocket(path, '/docs')).status).toBe(404);
    expect((await requestSocket(path, '/health/ready')).status).toBe(200);
    const { port } = new URL(server.url);
    const held = connect(Number(port), '127.0.0.1');
    await once(held, 'connect');
    held.write(
      'POST /api/v1/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
    );
    // When a later connection has its response, the server has received this request.
    expect((await fetch(`${server.url}/`)).status).toBe(200);
    const stopped = server.stop();
    const { status, body } = await requestSocket(path, '/health/ready');
    expect({ status, body }).toEqual({ status: 503, body: expect.stringContaining('stopping') });
    held.write('}');
    await stopped;
    held.destroy();
    expect(existsSync(path)).toBe(false);
  });
});
