import { chmodSync, lstatSync, readFileSync, unlinkSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { ConfigError } from '../config-error.js';
import { formatListenAddress, type ListenAddress } from '../network/listen-address.js';

export interface Listener {
  /** The origin of the server, or the path of its Unix socket. */
  readonly origin: string;
  /** Stops accepting connections, waits until requests have finished, and closes the rest after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

// The queue of connections that are not accepted yet; the system may allow fewer. With Node's default
// of 511, a burst overflows it, and TCP retries only after a second.
const backlog = 4096;

/** Listens on HOST and PORT; throws a ConfigError when it cannot. */
export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  maxConnections = Number.POSITIVE_INFINITY,
): Promise<Listener> {
  return accept(server, { host, port }, maxConnections, `HOST is ${host}, PORT is ${port}`);
}

// Enough for monitoring, a load balancer and a TLS proxy. Public connections are counted separately.
const maxAdminConnections = 256;

/** Listens on SHORTY_ADMIN_LISTEN; throws a ConfigError when it cannot. */
export function listenForOperators(server: Server, address: ListenAddress): Promise<Listener> {
  const setting = `SHORTY_ADMIN_LISTEN is "${formatListenAddress(address)}"`;
  return accept(server, address, maxAdminConnections, setting);
}

/** Removes the socket file of a process that has ended. */
async function removeStaleSocket(path: string): Promise<void> {
  // With bigint, as in `openStderr`: numbers of a socket confuse `realpathSync` of Node 20.
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  // Connections to other files are refused, too.
  if (found?.isSocket() && (await isRefused(path))) unlinkSync(path);
}

function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  });
}

// Monitoring and a TLS proxy connect as members of the socket's group.
const socketMode = 0o660;

const advice = {
  port: 'set a free port from 1024 on, and an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them',
  path: 'set the path of no other file, in a folder where this user may create files (with systemd, by RuntimeDirectory=)',
};

async function accept(
  server: Server,
  address: ListenAddress,
  maxConnections: number,
  setting: string,
): Promise<Listener> {
  if ('path' in address) await removeStaleSocket(address.path);
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      const isUsed = cause.code === 'EADDRINUSE';
      const problem = isUsed ? 'the address is in use' : `cannot listen there (${cause.message})`;
      const message = `${setting}: ${problem}; ${advice['path' in address ? 'path' : 'port']}`;
      reject(new ConfigError(message, { cause }));
    };
    server.once('error', refuse);
    server.listen({ ...address, backlog }, () => {
      server.off('error', refuse);
      resolve();
    });
    // Set in the same turn of the event loop, before a connection can be accepted.
    if ('path' in address && server.listening) chmodSync(address.path, socketMode);
  });
  const endUnused = limitConnections(server, maxConnections);
  const origin =
    'path' in address
      ? address.path
      : `http://${visibleHost(address.host)}:${(server.address() as AddressInfo).port}`;
  return { origin, stop: (graceMs) => stopListening(server, endUnused, graceMs) };
}

const idleCheckMs = 50;

async function stopListening(
  server: Server,
  endUnused: () => void,
  graceMs: number,
): Promise<void> {
  if (!server.listening) return;
  // A busy keep-alive connection would never become idle, so its next response closes it.
  const closeAfter = (_request: unknown, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  };
  for (const event of ['request', 'checkContinue']) server.prependListener(event, closeAfter);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeIdle = setInterval(() => {
    server.closeIdleConnections();
    endUnused();
  }, idleCheckMs);
  const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(cutOff);
}

// Returns localhost for loopback and wildcard addresses.
function visibleHost(host: string): string {
  if (['127.0.0.1', '0.0.0.0', '::', '::1', ''].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Limits the open connections of a server. For each connection beyond the limit it closes one: the oldest
 * that never got a response, or else the oldest. Returns a function that closes connections that never sent a
 * byte: browsers open them in advance, and Node counts them as busy.
 */
function limitConnections(server: Server, maxConnections: number) {
  // Oldest first.
  const withoutResponse = new Set<Socket>();
  const others = new Set<Socket>();
  const remove = (socket: Socket) => {
    withoutResponse.delete(socket);
    others.delete(socket);
  };

  function selectFor(newcomer: Socket): Socket {
    for (const socket of withoutResponse) {
      if (socket === newcomer) break;
      if (socket.bytesWritten === 0) return socket;
      // Each connection moves at most once, so a flood of connections takes no search.
      withoutResponse.delete(socket);
      others.add(socket);
    }
    return others.values().next().value ?? newcomer;
  }

  server.on('connection', (socket) => {
    withoutResponse.add(socket);
    socket.once('close', () => remove(socket));
    if (withoutResponse.size + others.size <= maxConnections) return;
    const closed = selectFor(socket);
    // Removed now, because `close` is emitted later and until then the limit would appear exceeded.
    remove(closed);
    closed.destroy();
  });
  return () => {
    for (const socket of withoutResponse) if (socket.bytesRead === 0) socket.destroy();
  };
}

// The rest is for files and outgoing connections.
const connectionShare = 0.8;

/** Returns how many connections the server accepts, within the limit on open files. */
export function affordableConnections(wanted: number): number {
  return Math.min(
    wanted,
    Math.floor((maxOpenFiles() ?? Number.POSITIVE_INFINITY) * connectionShare),
  );
}

/** Returns the limit on open files and sockets of this process, or undefined when it is unknown. */
export function maxOpenFiles(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch (error) {
    // Only Linux has this file.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
