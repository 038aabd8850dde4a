import type { IncomingMessage } from 'node:http';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { chunksOf } from './read-body.js';

// A client that sends its whole body before it reads must be able to do so.
const maxBytes = 32 * 1024 * 1024;
const maxMs = 5_000;

/** Returns whether a part of a request's body is unread, as after an early refusal. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  const { headers } = request;
  const mayHaveBody =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return mayHaveBody && !request.complete && !request.destroyed;
}

/**
 * Returns a function that reads the rest of a request's body and drops it. Closing a connection
 * with unread bytes resets it, and the client may lose the response. A body that exceeds the limit
 * of bytes or time is closed nevertheless.
 *
 * All bodies of one server share one chunk per turn of the event loop: reading a hundred of them
 * at full speed would delay redirects and new connections.
 */
export function createDrain(): (request: IncomingMessage) => Promise<void> {
  let turn = Promise.resolve();
  const nextTurn = () => {
    turn = turn.then(yieldToEventLoop);
    return turn;
  };

  return async function drainRequest(request) {
    // Destroying the request ends the loop below, which otherwise waits for the sender.
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
      // The sender closed the connection or was too slow, so it cannot read the response.
      request.destroy();
    } finally {
      clearTimeout(timer);
    }
  };
}
