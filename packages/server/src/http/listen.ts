import { chmodSync, existsSync, lstatSync, readFileSync, unlinkSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
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

interface ConnectionOptions {
  readonly maxConnections?: number;
  readonly socketMode?: number;
}

interface PublicAddress {
  readonly port: number;
  readonly host: string;
  /** The path of a unix socket, which replaces host and port. */
  readonly listenPath?: string | undefined;
  readonly socketMode?: number;
}

/** Listens on SHORTY_LISTEN, or else on HOST and PORT; throws a ConfigError when it cannot. */
export function listen(
  server: Server,
  { port, host, listenPath: path, ...limits }: ConnectionOptions & PublicAddress,
): Promise<Listener> {
  if (path !== undefined) return listenOn(server, { path }, limits, 'SHORTY_LISTEN');
  return accept(server, { host, port }, limits, (cause) =>
    cause.code === 'EADDRINUSE'
      ? `PORT is ${port}: another process listens there; stop it, or set PORT to a free one`
      : `HOST is ${host}, PORT is ${port}: ${reasonOf(cause)}`,
  );
}

// Enough for monitoring, a load balancer and a TLS proxy. Public connections are counted separately.
const maxAdminConnections = 256;

/** Listens on SHORTY_ADMIN_LISTEN; throws a ConfigError when it cannot. */
export function listenForOperators(server: Server, address: ListenAddress): Promise<Listener> {
  return listenOn(server, address, { maxConnections: maxAdminConnections }, 'SHORTY_ADMIN_LISTEN');
}

async function listenOn(
  server: Server,
  address: ListenAddress,
  limits: ConnectionOptions,
  name: string,
): Promise<Listener> {
  if ('path' in address) await removeStaleSocket(address.path);
  return accept(server, address, limits, (cause) => {
    const setting = `${name} is "${formatListenAddress(address)}"`;
    return cause.code === 'EADDRINUSE'
      ? `${setting}: another process listens there, or the file is not a socket; stop the process, or set another address`
      : `${setting}: ${reasonOf(cause, 'path' in address ? address.path : undefined)}`;
  });
}

const tcpReasons: Readonly<Record<string, string>> = {
  EACCES:
    'this user may not use the port; use one from 1024 on behind a proxy, or give Node the capability CAP_NET_BIND_SERVICE',
  EADDRNOTAVAIL:
    'this machine does not have the address; use 127.0.0.1, or 0.0.0.0 for all addresses',
  ENOTFOUND: 'the name is unknown; use an address of this machine, such as 127.0.0.1',
};

function reasonOf(cause: NodeJS.ErrnoException, path?: string): string {
  const cannot = `cannot listen there (${cause.message})`;
  const { code = '' } = cause;
  if (path === undefined) return code in tcpReasons ? `${cannot}: ${tcpReasons[code]}` : cannot;
  // Node reports a missing folder as EACCES.
  if (code !== 'EACCES') return cannot;
  const folder = dirname(path);
  return existsSync(folder)
    ? `cannot listen there: this user may not create files in ${folder}`
    : `cannot listen there: there is no folder ${folder}; create it for the user of the server (with systemd, by RuntimeDirectory=)`;
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

// The proxy and monitoring connect as members of the socket's group.
const defaultSocketMode = 0o660;

async function accept(
  server: Server,
  address: ListenAddress,
  { maxConnections = Number.POSITIVE_INFINITY, socketMode = defaultSocketMode }: ConnectionOptions,
  describeFailure: (cause: NodeJS.ErrnoException) => string,
): Promise<Listener> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      reject(new ConfigError(describeFailure(cause), { cause }));
    };
    server.once('error', refuse);
    server.listen({ ...address, backlog }, () => {
      server.off('error', refuse);
      resolve();
    });
    // Set in the same turn of the event loop, before a connection can be accepted.
    if ('path' in address && server.listening) chmodSync(address.path, socketMode);
  });
  const connections = new OpenConnections(server, maxConnections);
  const origin =
    'path' in address
      ? address.path
      : `http://${visibleHost(address.host)}:${(server.address() as AddressInfo).port}`;
  return { origin, stop: (graceMs) => stopListening(server, connections, graceMs) };
}

const idleCheckMs = 50;

async function stopListening(
  server: Server,
  connections: OpenConnections,
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
    connections.endUnused();
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
 * that never got a response, or else the oldest.
 */
export class OpenConnections {
  // Oldest first.
  readonly #withoutResponse = new Set<Socket>();
  readonly #others = new Set<Socket>();

  constructor(server: Server, maxConnections: number) {
    server.on('connection', (socket) => {
      this.#withoutResponse.add(socket);
      socket.once('close', () => this.#remove(socket));
      if (this.#withoutResponse.size + this.#others.size > maxConnections)
        this.#closeOneFor(socket);
    });
  }

  /** Closes connections that never sent a byte. Browsers open them in advance; Node counts them as busy. */
  endUnused(): void {
    for (const socket of this.#withoutResponse) if (socket.bytesRead === 0) socket.destroy();
  }

  #closeOneFor(newcomer: Socket): void {
    for (const socket of this.#withoutResponse) {
      if (socket === newcomer) break;
      if (socket.bytesWritten === 0) {
        this.#close(socket);
        return;
      }
      // Each connection moves at most once, so a flood of connections takes no search.
      this.#withoutResponse.delete(socket);
      this.#others.add(socket);
    }
    this.#close(this.#others.values().next().value ?? newcomer);
  }

  #close(socket: Socket): void {
    // Removed now, because `close` is emitted later and until then the limit would appear exceeded.
    this.#remove(socket);
    socket.destroy();
  }

  #remove(socket: Socket): void {
    this.#withoutResponse.delete(socket);
    this.#others.delete(socket);
  }
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
