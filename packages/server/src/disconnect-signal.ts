import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';

const signals = new AsyncLocalStorage<AbortSignal | undefined>();

/**
 * Runs the handler of a request, or a task of it. `disconnectSignal` returns `signal` in `work`, and
 * in everything that `work` awaits.
 */
export function withDisconnectSignal<T>(signal: AbortSignal | undefined, work: () => T): T {
  return signals.run(signal, work);
}

/**
 * Returns the signal that aborts when the client of the current request disconnects; undefined outside
 * of API requests.
 */
export function disconnectSignal(): AbortSignal | undefined {
  return signals.getStore();
}

/**
 * Returns a signal that aborts when the client closes its side of the connection before the response is
 * complete. Most such clients have left. Some only have no further request, and read the response: TCP
 * does not distinguish them.
 */
export function disconnectSignalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const { socket } = response.req;
  const abort = () => controller.abort();
  if (socket.destroyed || socket.readableEnded) abort();
  socket.once('end', abort);
  response.once('close', () => {
    socket.off('end', abort);
    if (!response.writableFinished) abort();
  });
  return controller.signal;
}
