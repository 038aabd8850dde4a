import type { Server } from 'node:http';
import type { Socket } from 'node:net';

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
