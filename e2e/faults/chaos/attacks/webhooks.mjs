// Deliveries to receivers that hang, send slowly or send malformed responses.
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { bearer, repeat } from '../lib/target.mjs';

const endpoints = 400;

/** The behaviours of a receiver. The number of a connection selects one. */
const behaviours = [
  () => {},
  (socket) => socket.write('HTTP/1.1 200 OK\r\nX-Endless: '),
  (socket, signal) => drip(socket, signal, 'HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n', 'x'),
  (socket, signal) => drip(socket, signal, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
  (socket) => socket.destroy(),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'),
];

function drip(socket, signal, head, part) {
  socket.write(head);
  const timer = setInterval(() => socket.write(part), 500);
  const end = () => clearInterval(timer);
  socket.on('close', end);
  signal.addEventListener('abort', end);
}

export const webhooks = {
  'tenant-hanging-receivers': async ({ target, signal, tenants, ports }) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => socket.destroy());
      socket.resume();
      // Most hang; the others take turns.
      const index = connections % 4 === 0 ? (connections / 4) % behaviours.length : 0;
      behaviours[index](socket, signal);
      signal.addEventListener('abort', () => socket.destroy());
    });
    server.listen(ports.files, '127.0.0.1');
    signal.addEventListener('abort', () => server.close());
    const ids = [];
    for (let index = 0; index < endpoints && !signal.aborted; index += 1) {
      const tenant = tenants[index % tenants.length];
      const created = await target.request('POST', '/api/v1/webhooks', {
        headers: bearer(tenant),
        body: JSON.stringify({
          url: `http://127.0.0.1:${ports.files}/${index}`,
          events: ['url.created'],
        }),
      });
      if (created?.status === 201) ids.push([tenant, JSON.parse(created.text).data.id]);
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
