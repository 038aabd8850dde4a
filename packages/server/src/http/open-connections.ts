import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Progress {
  readonly arrivedAt: number;
  /** Bytes of responses that have left the send buffer. They increase while the client reads. */
  sentBytes: number;
  /** The last time when the client read something or had nothing to read. */
  progressedAt: number;
  /** The response to the last request. Released by the first check after its end. */
  response: ServerResponse | undefined;
  /** During a stop: the bytes of both directions at the last check. */
  movedBytes: number;
  /** During a stop: whether the client was slow before the last check. */
  wasSlow: boolean;
}

/** The events of a request: the second is that of a request with `Expect: 100-continue`. */
export const requestEvents = ['request', 'checkContinue'] as const;

// The shortest time between two checks of all connections. A connection that is younger than this may
// still send its first request.
const minPauseMs = 1_000;
// During a stop, a client must send its request, and read its response, at this rate.
const stopRate = { bytes: 4_096, everyMs: 500 } as const;

/**
 * Limits the open connections of a server. For each connection beyond the limit it closes one: the
 * oldest that never got a response, else an idle one, else the oldest. It checks all sockets
 * periodically, so requests have no overhead.
 */
export class OpenConnections {
  readonly #responseTimeoutMs: number;
  // Oldest first.
  readonly #progress = new Map<Socket, Progress>();
  /** Connections to close when the limit is exceeded, beginning with the last one. */
  #expendable: Socket[] = [];
  #checkedAt = Number.NEGATIVE_INFINITY;

  /** Clients may read nothing of a response for `responseTimeoutMs`. */
  constructor(server: Server, maxConnections: number, responseTimeoutMs: number) {
    this.#responseTimeoutMs = responseTimeoutMs;
    server.on('connection', (socket) => {
      const arrivedAt = performance.now();
      this.#progress.set(socket, {
        arrivedAt,
        sentBytes: 0,
        progressedAt: arrivedAt,
        response: undefined,
        movedBytes: 0,
        wasSlow: false,
      });
      socket.on('close', () => this.#progress.delete(socket));
      if (this.#progress.size > maxConnections) this.#closeOneFor(socket);
    });
    const noteResponse = ({ socket }: IncomingMessage, response: ServerResponse) => {
      const progress = this.#progress.get(socket);
      if (progress) progress.response = response;
    };
    for (const event of requestEvents) server.prependListener(event, noteResponse);
  }

  /** Closes connections that never sent a byte. Browsers open them in advance; Node counts them as busy. */
  endUnused(): void {
    for (const socket of this.#progress.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /**
   * Begins to close connections whose client sends its request, or reads its response, slowly or not at
   * all. Requests that the server works on remain. Returns the function that ends this.
   */
  endSlow(): () => void {
    const check = (isFirst: boolean) => {
      for (const [socket, progress] of this.#progress) {
        const movedBytes = socket.bytesRead + sentBytesOf(socket);
        const isSlow =
          !isFirst &&
          movedBytes - progress.movedBytes < stopRate.bytes &&
          waitsForClient(socket, progress.response);
        progress.movedBytes = movedBytes;
        // A request may have begun just before the first check that finds it slow.
        if (isSlow && progress.wasSlow) socket.destroy();
        progress.wasSlow = isSlow;
      }
    };
    check(true);
    const checks = setInterval(check, stopRate.everyMs, false);
    return () => clearInterval(checks);
  }

  /** Closes connections whose client does not read, and orders the others for closing. */
  check(): void {
    const now = performance.now();
    this.#checkedAt = now;
    const unanswered: Socket[] = [];
    const quiet: Socket[] = [];
    const young: Socket[] = [];
    for (const [socket, progress] of this.#progress) {
      if (progress.response?.writableFinished) progress.response = undefined;
      const sentBytes = sentBytesOf(socket);
      const hasMoved = sentBytes !== progress.sentBytes;
      if (hasMoved || socket.writableLength === 0) {
        progress.sentBytes = sentBytes;
        progress.progressedAt = now;
      } else if (now - progress.progressedAt >= this.#responseTimeoutMs) {
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
    // Removed now, because `close` is emitted later and until then the limit would appear exceeded.
    this.#progress.delete(victim);
    victim.destroy();
  }

  #nextExpendable(): Socket | undefined {
    for (;;) {
      const socket = this.#expendable.pop();
      if (!socket) return undefined;
      // It may have received a response or closed since the check.
      const progress = this.#progress.get(socket);
      if (progress && sentBytesOf(socket) === progress.sentBytes) return socket;
    }
  }
}

/** Returns whether a connection that is not idle waits for bytes of its client, or for it to read. */
function waitsForClient(socket: Socket, response: ServerResponse | undefined): boolean {
  if (!response || response.writableFinished) return true;
  return !response.req.complete || socket.writableLength > 0;
}

/** Returns how many bytes have left the send buffer. */
function sentBytesOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
