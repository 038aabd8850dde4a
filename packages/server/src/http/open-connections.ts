import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** How long a receiver may take nothing of an answer. */
  readonly answerTimeoutMs: number;
}

interface Progress {
  readonly arrivedAt: number;
  /** Bytes of answers that were taken, and when there was no more to take or more was taken. */
  taken: number;
  at: number;
}

// However fast newcomers arrive, all connections are looked at no oftener. Who is younger may well
// be about to send a request.
const minPauseMs = 1_000;

/**
 * Keeps the connections of a server within bounds, so that those who open them and do nothing keep
 * nobody out: when there are too many, the oldest that was never answered goes first, then one that
 * is quiet, then the oldest. It costs requests nothing: sockets are looked at, now and then.
 */
export class OpenConnections {
  readonly #limits: ConnectionLimits;
  // In the order of their arrival.
  readonly #progress = new Map<Socket, Progress>();
  /** Those that would go, the first one last. */
  #expendable: Socket[] = [];
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    server.on('connection', (socket) => {
      const arrivedAt = performance.now();
      this.#progress.set(socket, { arrivedAt, taken: 0, at: arrivedAt });
      socket.on('close', () => this.#progress.delete(socket));
      if (this.#progress.size > limits.maxConnections) this.#makeRoomFor(socket);
    });
  }

  get count(): number {
    return this.#progress.size;
  }

  /** Ends those that were opened and never used, as browsers and proxies do: Node thinks them busy. */
  endUnused(): void {
    for (const socket of this.#progress.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Ends connections whose answer nobody takes, and finds those that would go first. */
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

  #makeRoomFor(newcomer: Socket): void {
    let victim = this.#nextExpendable();
    if (!victim && performance.now() - this.#checkedAt >= minPauseMs) {
      this.check();
      victim = this.#nextExpendable();
    }
    if (!victim || victim === newcomer) victim = this.#progress.keys().next().value ?? newcomer;
    // At once, and not when it has closed: the next newcomer would send another one away.
    this.#progress.delete(victim);
    victim.destroy();
  }

  #nextExpendable(): Socket | undefined {
    for (;;) {
      const socket = this.#expendable.pop();
      if (!socket) return undefined;
      // Whoever was answered or has gone since does not go now.
      const progress = this.#progress.get(socket);
      if (progress && takenFrom(socket) === progress.taken) return socket;
    }
  }
}

function takenFrom(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
