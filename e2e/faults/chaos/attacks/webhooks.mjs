// Deliveries to receivers that hang, and many deliveries of one event.
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { bearer, repeat } from '../lib/target.mjs';

const endpoints = 400;

export const webhooks = {
  'tenant-hanging-receivers': async ({ target, signal, tenants, ports }) => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.resume();
      signal.addEventListener('abort', () => socket.destroy());
    });
    server.listen(ports.files, '127.0.0.1');
    signal.addEventListener('abort', () => server.close());
    for (let index = 0; index < endpoints && !signal.aborted; index += 1) {
      const tenant = tenants[index % tenants.length];
      await target.request('POST', '/api/v1/webhooks', {
        headers: bearer(tenant),
        body: JSON.stringify({
          url: `http://127.0.0.1:${ports.files}/${index}`,
          events: ['url.created'],
        }),
      });
    }
    await repeat(signal, 2, (turn) =>
      target.request('POST', '/api/v1/urls', {
        headers: bearer(tenants[turn % tenants.length]),
        body: JSON.stringify({ targetUrl: 'https://example.com/event' }),
      }),
    );
  },

  /** Bulk creates whose every link is an event for fifty webhooks. */
  'tenant-fan-out': async ({ target, signal, tenants: [tenant], ports }) => {
    const server = createHttpServer((request, response) => {
      request.resume();
      response.end();
    });
    server.listen(ports.files, '127.0.0.1');
    signal.addEventListener('abort', () => {
      server.closeAllConnections();
      server.close();
    });
    const headers = bearer(tenant);
    for (let index = 0; index < 50 && !signal.aborted; index += 1) {
      await target.request('POST', '/api/v1/webhooks', {
        headers,
        body: JSON.stringify({
          url: `http://127.0.0.1:${ports.files}/${index}`,
          events: ['url.created'],
        }),
      });
    }
    const urls = Array.from({ length: 100 }, (_, n) => ({ targetUrl: `https://example.com/${n}` }));
    const body = JSON.stringify({ urls });
    await repeat(signal, 4, () => target.request('POST', '/api/v1/urls/bulk', { headers, body }));
  },
};
