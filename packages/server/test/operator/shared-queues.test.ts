import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { call, command, newSettings, type Serving, serve, tokenOf } from './server-process.js';

beforeAll(build, 120_000);

const credentials = { clientId: 'operator-test', clientSecret: 'operator-test-secret-of-32-chars' };

/** Starts a server with two organizations and returns a token of each. */
async function startWithTwo(
  environment: Record<string, string> = {},
): Promise<{ server: Serving; heavy: string; other: string }> {
  const settings = {
    ...newSettings(),
    ...environment,
    SHORTY_CLIENT_ID: credentials.clientId,
    SHORTY_CLIENT_SECRET: credentials.clientSecret,
  };
  const server = await serve(settings);
  // The command must not use the preload of the server.
  const { NODE_OPTIONS: _, ...commandSettings } = { NODE_OPTIONS: '', ...settings };
  const args = ['orgs', 'create', '--name', 'Other', '--plan', 'enterprise', '--json'];
  const created = JSON.parse((await command(commandSettings, ...args)).stdout);
  const heavy = await tokenOf(server.origin, credentials);
  const other = await tokenOf(server.origin, created);
  return { server, heavy: String(heavy), other: String(other) };
}

/** Returns the number of tasks that wait in a queue of the server. */
async function waitingIn(origin: string, queue: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const pattern = new RegExp(`^shorty_queue_waiting\\{queue="${queue}"\\} (\\d+)$`, 'm');
  return Number(pattern.exec(text)?.[1]);
}

describe('one organization that fills a shared queue', () => {
  it('delays no unlock, is refused beyond its share, and delays no SIGTERM', async () => {
    const { server, heavy, other } = await startWithTwo();
    const { origin } = server;
    const link = {
      targetUrl: 'https://example.com/',
      customSlug: 'locked',
      isPasswordProtected: true,
      password: 'open sesame',
    };
    expect((await call(origin, other, '/urls', link)).status).toBe(201);

    const urls = Array.from({ length: 100 }, (_, index) => ({
      ...link,
      customSlug: undefined,
      password: `password ${index}`,
    }));
    const order: string[] = [];
    const bulks = Array.from({ length: 5 }, async () => {
      const response = await fetch(`${origin}/api/v1/urls/bulk`, {
        method: 'POST',
        headers: { authorization: `Bearer ${heavy}`, 'content-type': 'application/json' },
        body: JSON.stringify({ urls }),
      });
      order.push(`bulk ${response.status}`);
      return response;
    });
    // Four requests of 100 passwords fit; the fifth is refused at once.
    const refused = await Promise.race(bulks);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await refused.json()).toMatchObject({
      error: { code: 'UNAVAILABLE', message: expect.stringMatching(/limit of 400$/) },
    });
    await expect
      .poll(() => waitingIn(origin, 'passwords'), { timeout: 5_000 })
      .toBeGreaterThan(200);

    const unlocked = await fetch(`${origin}/locked`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'password=open+sesame',
    });
    expect(unlocked.status).toBe(303);
    // Hundreds of hashes still wait, and so do their requests.
    expect(order).toEqual(['bulk 503']);

    expect(await waitingIn(origin, 'passwords')).toBeGreaterThan(100);
    const startedAt = performance.now();
    server.child.kill('SIGTERM');
    await Promise.all(bulks);
    expect(order).toEqual(Array.from({ length: 5 }, () => 'bulk 503'));
    if (server.child.exitCode === null) await once(server.child, 'exit');
    expect(server.child.exitCode).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  }, 60_000);

  it('delays another organization by the running renderings only, not by the queued ones', async () => {
    const { server, heavy, other } = await startWithTwo();
    const { origin } = server;
    const order: string[] = [];
    const draw = async (token: string, name: string, fields: object) => {
      const { status } = await call(origin, token, '/qr', { data: name, ...fields });
      order.push(`${name} ${status}`);
    };
    const heavyFields = { size: 2048, format: 'webp', stylePreset: 'rounded' };
    const drawings = Promise.all(
      Array.from({ length: 60 }, () => draw(heavy, 'heavy', heavyFields)),
    );
    await expect.poll(() => waitingIn(origin, 'QR codes'), { timeout: 10_000 }).toBeGreaterThan(40);
    const before = order.length;
    await draw(other, 'other', {});
    // The two that were running, and those that ended before the request arrived.
    expect(order.length - before).toBeLessThanOrEqual(6);
    server.child.kill('SIGTERM');
    await drawings;
    expect(new Set(order)).toEqual(new Set(['heavy 201', 'other 201', 'heavy 503']));
  }, 60_000);

  it('is refused beyond its share of reports while another organization is served, and SIGTERM refuses all', async () => {
    // The thread hangs at the first report, so none ends.
    const hang = new URL('./hang-report-thread.mjs', import.meta.url).href;
    const { server, heavy, other } = await startWithTwo({ NODE_OPTIONS: `--import ${hang}` });
    const { origin } = server;
    const order: string[] = [];
    const report = async (token: string, name: string) => {
      const response = await call(origin, token, '/analytics/overview').catch(() => undefined);
      order.push(`${name} ${response?.status ?? 'is cut off'}`);
    };
    const first = report(heavy, 'heavy');
    await server.until(/the report thread hangs/);
    // One more runs, and 64 wait.
    const reports = Array.from({ length: 67 }, () => report(heavy, 'heavy'));
    await expect.poll(() => order, { timeout: 10_000 }).toEqual(['heavy 503', 'heavy 503']);
    // Two run, and the third waits.
    const others = Array.from({ length: 3 }, () => report(other, 'other'));
    await expect.poll(() => waitingIn(origin, 'reports'), { timeout: 5_000 }).toBe(65);
    expect(order).toHaveLength(2);

    const startedAt = performance.now();
    server.child.kill('SIGTERM');
    await Promise.all([first, ...reports, ...others]);
    expect(order).toContain('other 503');
    expect(order.filter((each) => each === 'heavy 503').length).toBeGreaterThanOrEqual(66);
    if (server.child.exitCode === null && server.child.signalCode === null) {
      await once(server.child, 'exit');
    }
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  }, 60_000);
});
