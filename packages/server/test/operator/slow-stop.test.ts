import { once } from 'node:events';
import { expect, it } from 'vitest';
import { openSocket } from '../hardening/open-sockets.js';
import { call, newSettings, serve, serveWithToken } from './server-process.js';

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

// Each waits for the time limit of a stop.
const hindrances = {
  async 'a request never ends'() {
    const server = await serve(newSettings());
    const { socket, ended: response } = await openSocket(server.origin);
    socket.write(
      'POST /api/v1/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n\r\n',
    );
    await once(socket, 'data');
    const startedAt = performance.now();
    server.child.kill('SIGTERM');
    await response;
    expect((await server.ended).code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  },

  async 'a part of the server never stops'() {
    // Keeps the event loop alive.
    const endless = 'data:text/javascript,setInterval(() => {}, 60_000)';
    const server = await serve({ ...newSettings(), NODE_OPTIONS: `--import "${endless}"` });
    const startedAt = performance.now();
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  },

  async 'native code blocks a thread'() {
    const settings = newSettings();
    const hang = new URL('./hang-report-thread.mjs', import.meta.url).href;
    const server = await serveWithToken({ ...settings, NODE_OPTIONS: `--import ${hang}` });
    const { token } = server;
    const link = { targetUrl: 'https://example.com/', customSlug: 'visited' };
    const made = await call(server.origin, token, '/urls', link);
    const headers = { 'user-agent': browser };
    await fetch(`${server.origin}/visited`, { redirect: 'manual', headers });
    const report = call(server.origin, token, '/analytics/overview').catch(() => undefined);
    await server.until(/the report thread hangs/);
    const startedAt = performance.now();
    server.child.kill('SIGTERM');
    await once(server.child, 'exit');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await report;

    const next = await serveWithToken(settings);
    await expect
      .poll(() => call(next.origin, next.token, `/urls/${made.data.id}`), { timeout: 10_000 })
      .toMatchObject({ data: { clickCount: 1 } });
  },
};

it(`SIGTERM ends the process within 10 s and loses no visit, although ${Object.keys(hindrances).join(', or ')}`, async () => {
  await Promise.all(Object.values(hindrances).map((check) => check()));
});
