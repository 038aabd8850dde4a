import type { Socket } from 'node:net';
import type { Connect } from './guarded-connector.js';

/** Sends one request over a connection. */
export interface ConnectionUser {
  /** The connection can take the request. */
  onConnect(socket: Socket): void;
  /** The bytes are valid during the call only. */
  onBytes(bytes: Buffer): void;
  /** The connection ended, with an error or in good order. */
  onEnd(error?: Error): void;
}

export interface Connection {
  readonly socket: Socket;
  /** Whether it has carried a request before. */
  readonly isReused: boolean;
}

/** The pool was closed during a request. */
export class PoolClosedError extends Error {
  override readonly name = 'PoolClosedError';

  constructor() {
    super('the connections are closed');
  }
}

interface PooledConnection extends Connection {
  readonly origin: string;
  readonly openedAt: number;
  isReused: boolean;
  idleSince: number;
  user: ConnectionUser | undefined;
}

// A connection is closed after this time, so its host is looked up again.
const maxAgeMs = 10_000;
// Many servers close an idle connection after five seconds.
const maxIdleMs = 4_000;
const sweepEveryMs = 1_000;

/** Opens connections, and reuses them while their receivers leave them open. */
export class ConnectionPool {
  readonly #connect: Connect;
  readonly #open = new Set<PooledConnection>();
  /** By origin. The last one was used last. */
  readonly #idle = new Map<string, PooledConnection[]>();
  #sweeping: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /** Returns an idle connection to the origin of a URL, or opens one. */
  acquire(url: URL, user: ConnectionUser): Connection {
    const now = performance.now();
    const idle = this.#idle.get(url.origin) ?? [];
    for (let found = idle.pop(); found; found = idle.pop()) {
      if (isExpired(found, now)) this.#destroy(found);
      else {
        found.isReused = true;
        found.user = user;
        user.onConnect(found.socket);
        return found;
      }
    }
    return this.open(url, user);
  }

  /** Opens a connection. */
  open(url: URL, user: ConnectionUser): Connection {
    if (this.#isClosed) throw new PoolClosedError();
    const socket = this.#connect(url, (bytes) => {
      // No response is due on an idle connection.
      if (connection.user) connection.user.onBytes(bytes);
      else this.#destroy(connection);
    });
    const connection: PooledConnection = {
      socket,
      origin: url.origin,
      openedAt: performance.now(),
      isReused: false,
      idleSince: 0,
      user,
    };
    this.#open.add(connection);
    socket.setNoDelay(true);
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () =>
      connection.user?.onConnect(socket),
    );
    const end = (error?: Error) => {
      const { user: last } = connection;
      this.#destroy(connection);
      last?.onEnd(error);
    };
    // Without waiting for `close`, which comes after the rest of the request has been sent.
    socket.on('end', end);
    socket.on('error', end);
    socket.on('close', () => end());
    return connection;
  }

  /** Takes back a connection. It is closed unless it can be reused. */
  release(connection: Connection, isReusable: boolean): void {
    const pooled = connection as PooledConnection;
    pooled.user = undefined;
    pooled.idleSince = performance.now();
    const { socket, origin } = pooled;
    if (!isReusable || socket.writableLength > 0 || isExpired(pooled, pooled.idleSince)) {
      this.#destroy(pooled);
      return;
    }
    const idle = this.#idle.get(origin);
    if (idle) idle.push(pooled);
    else this.#idle.set(origin, [pooled]);
    this.#sweeping ??= setInterval(() => this.#sweep(), sweepEveryMs).unref();
  }

  /** Closes all connections. Requests in flight fail with a PoolClosedError. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweeping);
    for (const connection of this.#open) {
      const { user } = connection;
      this.#destroy(connection);
      user?.onEnd(new PoolClosedError());
    }
  }

  #destroy(connection: PooledConnection): void {
    connection.user = undefined;
    if (!this.#open.delete(connection)) return;
    connection.socket.destroy();
    const idle = this.#idle.get(connection.origin) ?? [];
    const at = idle.indexOf(connection);
    if (at !== -1) idle.splice(at, 1);
  }

  #sweep(): void {
    const now = performance.now();
    for (const [origin, idle] of this.#idle) {
      for (const connection of [...idle]) if (isExpired(connection, now)) this.#destroy(connection);
      if (idle.length === 0) this.#idle.delete(origin);
    }
    if (this.#idle.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }
}

function isExpired({ openedAt, idleSince, socket }: PooledConnection, now: number): boolean {
  return socket.destroyed || now - openedAt > maxAgeMs || now - idleSince > maxIdleMs;
}
