import type { IncomingMessage } from 'node:http';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { chunksOf } from './read-body.js';

// Some clients send the whole body before they read the response.
const maxBytes = 32 * 1024 * 1024;
const maxMs = 5_000;

/** Returns whether a part of a request's body is unread, for example after an early refusal. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  const { headers } = request;
  const mayHaveBody =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return mayHaveBody && !request.complete && !request.destroyed;
}

/**
 * Returns a function that reads and discards the rest of a request's body. Without it, closing the
 * connection would reset it, and the client could lose the response. Closes the connection of a body
 * that exceeds the limit of bytes or time.
 *
 * All requests of a server together read one chunk in each turn of the event loop. A hundred bodies
 * at full speed would delay redirects and new connections.
 */
export function createDrain(): (request: IncomingMessage) => Promise<void> {
  let turn = Promise.resolve();
  const nextTurn = () => {
    turn = turn.then(yieldToEventLoop);
    return turn;
  };

  return async function drainRequest(request) {
    // Ends the loop below, which otherwise waits for the client.
    const timer = setTimeout(() => request.destroy(), maxMs);
    try {
      let length = 0;
      for await (const chunk of chunksOf(request)) {
        length += chunk.length;
        if (length > maxBytes) break;
        await nextTurn();
      }
      if (length > maxBytes) request.destroy();
    } catch {
      // The client closed the connection or was too slow, so it cannot read the response.
      request.destroy();
    } finally {
      clearTimeout(timer);
    }
  };
}
