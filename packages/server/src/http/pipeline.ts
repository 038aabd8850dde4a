import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

// One read of 64 KB has up to 3,600 requests. Clients that pipeline send some dozens.
const maxWaiting = 1_024;

/**
 * Returns a function for requests whose predecessor on the connection has no complete response yet. It
 * calls `handle` when that response is finished, in a later turn of the event loop. Otherwise one read
 * of a socket would run thousands of handlers in one turn.
 *
 * Requests that wait are dropped when the connection closes, which `handle` would not detect.
 */
export function createPipeline(handle: Handle): Handle {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > maxWaiting) {
      socket.destroy();
      return;
    }
    waiting.set(socket, count);
    // Node emits this event when the previous response is finished.
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 0) - 1);
      setImmediate(() => {
        if (socket.writable) handle(request, response);
      });
    });
  };
}
