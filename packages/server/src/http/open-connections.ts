import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** How long a client may read nothing of a response. */
  readonly answerTimeoutMs: number;
}

interface Progress {
  readonly arrivedAt: number;
  /** Bytes of responses that the client has read. */
  taken: number;
  /** When the client last read something, or had nothing to read. */
  at: number;
}

// The shortest time between two checks of all connections. A younger connection may be about to send
// a request.
const minPauseMs = 1_000;

/**
 * Bounds the open connections of a server, so that idle ones cannot exhaust them. Beyond the limit it
 * closes the oldest connection without a response, then an idle one, then the oldest. Sockets are
 * checked periodically, so requests pay nothing for it.
 */
export class OpenConnections {
  readonly #limits: ConnectionLimits;
  // Oldest first.
  readonly #progress = new Map<Socket, Progress>();
  /** Connections to close, the next one last. */
  #expendable: Socket[] = [];
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    server.on('connection', (socket) => {
      const arrivedAt = performance.now();
      this.#progress.set(socket, { arrivedAt, taken: 0, at: arrivedAt });
      socket.on('close', () => this.#progress.delete(socket));
      if (this.#progress.size > limits.maxConnections) this.#closeOneFor(socket);
    });
  }

  get count(): number {
    return this.#progress.size;
  }

  /** Closes connections that were never used, as browsers open them. Node counts them as busy. */
  endUnused(): void {
    for (const socket of this.#progress.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Closes connections whose client does not read, and determines which to close first. */
  check(now = performance.now()): void {
    this.#checkedAt = now;
    const unanswered: Socket[] = [];
    const quiet: Socket[] = [];
    const young: Socket[] = [];
    for (const [socket, progress] of this.#progress) {
      const taken = takenFrom(socket);
      const hasMoved = taken !== progress.taken;
      if (hasMoved || socket.writableLength === 0) {
        progress.taken = taken;
        progress.at = now;
      } else if (now - progress.at >= this.#limits.answerTimeoutMs) {
        socket.destroy();
        continue;
      }
      if (socket.bytesWritten > 0) {
        if (!hasMoved) quiet.push(socket);
      } else if (now - progress.arrivedAt >= minPauseMs) unanswered.push(socket);
      else young.push(socket);
    }
    this.#expendable = [...unanswered, ...quiet, ...young].reverse();
  }

  #closeOneFor(newcomer: Socket): void {
    let victim = this.#nextExpendable();
    if (!victim && performance.now() - this.#checkedAt >= minPauseMs) {
      this.check();
      victim = this.#nextExpendable();
    }
    if (!victim || victim === newcomer) victim = this.#progress.keys().next().value ?? newcomer;
    // Removed at once, not on its close event: the next newcomer would close another one.
    this.#progress.delete(victim);
    victim.destroy();
  }

  #nextExpendable(): Socket | undefined {
    for (;;) {
      const socket = this.#expendable.pop();
      if (!socket) return undefined;
      // It may have received a response or closed since the check.
      const progress = this.#progress.get(socket);
      if (progress && takenFrom(socket) === progress.taken) return socket;
    }
  }
}

function takenFrom(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
