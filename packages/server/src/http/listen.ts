import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ConfigError } from '../config.js';

export interface Listener {
  /** The origin that reaches the server. */
  readonly origin: string;
  /** Accepts nothing more, lets requests finish, and cuts off after `graceMs` what has not. */
  stop(graceMs: number): Promise<void>;
}

// Connections that wait to be accepted; the system may allow fewer. At Node's own 511, a crowd that
// comes at once has its last ones wait a whole second for a second try.
const backlog = 4096;

/** Starts to listen; throws a ConfigError where that cannot be done. */
export async function listen(
  server: Server,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      const message =
        cause.code === 'EADDRINUSE'
          ? `PORT is ${port}: another process listens there; stop it, or set PORT to a free one`
          : `HOST is ${host}, PORT is ${port}: cannot listen there (${cause.message})`;
      reject(new ConfigError(message, { cause }));
    };
    server.once('error', refuse);
    server.listen({ port, host, backlog }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
  const origin = originOf({ host, port: (server.address() as AddressInfo).port });
  return { origin, stop: (graceMs) => stopListening(server, sockets, graceMs) };
}

const idleCheckMs = 50;

async function stopListening(
  server: Server,
  sockets: ReadonlySet<Socket>,
  graceMs: number,
): Promise<void> {
  if (!server.listening) return;
  // Its next answer is a connection's last one, and says so: busy ones would never turn idle.
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeIdle = setInterval(() => {
    server.closeIdleConnections();
    // Those that were opened and never used, as browsers and proxies do, are not idle to Node.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, idleCheckMs);
  const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(cutOff);
}

/** The origin that reaches a server which listens there. */
export function originOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `http://${visibleHost(host)}:${port}`;
}

// The loopback's and the wildcard's usual name; other addresses are shown as they are.
function visibleHost(host: string): string {
  if (['127.0.0.1', '0.0.0.0', '::', '::1', ''].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
