import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../config.js';
import { OpenConnections } from './open-connections.js';
import { defaultTimeLimits, type TimeLimits } from './time-limits.js';

export interface Listener {
  /** The origin that reaches the server. */
  readonly origin: string;
  /** Accepts nothing more, lets requests finish, and cuts off after `graceMs` what has not. */
  stop(graceMs: number): Promise<void>;
}

// Connections that wait to be accepted; the system may allow fewer. At Node's own 511, a crowd that
// comes at once has its last ones wait a whole second for a second try.
const backlog = 4096;

export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  readonly maxConnections?: number;
  readonly timeLimits?: Partial<TimeLimits> | undefined;
}

/** Starts to listen; throws a ConfigError where that cannot be done. */
export async function listen(
  server: Server,
  { port, host, maxConnections = Number.POSITIVE_INFINITY, timeLimits }: ListenOptions,
): Promise<Listener> {
  const limits = { ...defaultTimeLimits, ...timeLimits };
  const connections = new OpenConnections(server, {
    maxConnections,
    answerTimeoutMs: limits.answer,
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
  const checks = setInterval(() => connections.check(), limits.checks).unref();
  server.once('close', () => clearInterval(checks));
  const origin = originOf({ host, port: (server.address() as AddressInfo).port });
  return { origin, stop: (graceMs) => stopListening(server, connections, graceMs) };
}

const idleCheckMs = 50;

async function stopListening(
  server: Server,
  connections: OpenConnections,
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
    connections.endUnused();
  }, idleCheckMs);
  const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(cutOff);
}

/** The origin that reaches a server which listens there. */
function originOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `http://${visibleHost(host)}:${port}`;
}

// The loopback's and the wildcard's usual name; other addresses are shown as they are.
function visibleHost(host: string): string {
  if (['127.0.0.1', '0.0.0.0', '::', '::1', ''].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
