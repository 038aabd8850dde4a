import type { IncomingMessage } from 'node:http';
import { chunksOf } from './read-body.js';

// A client that sends its whole body before it reads must be able to do so.
const maxBytes = 32 * 1024 * 1024;
const maxMs = 5_000;

/** Whether some of the body of a request is still to come, as after an early refusal. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  const { headers } = request;
  const mayHaveBody =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return mayHaveBody && !request.complete && !request.destroyed;
}

/**
 * Reads the rest of a body and drops it. A connection that is closed over unread bytes is reset,
 * and the client may lose the response. Beyond a bound of bytes or time, the connection is closed
 * all the same.
 */
export async function drainRequest(request: IncomingMessage): Promise<void> {
  // It ends the loop below, which otherwise waits for the sender.
  const timer = setTimeout(() => request.destroy(), maxMs);
  try {
    let length = 0;
    for await (const chunk of chunksOf(request)) {
      length += chunk.length;
      if (length > maxBytes) break;
    }
    if (length > maxBytes) request.destroy();
  } catch {
    // The sender has left, or was late: nobody reads the response.
    request.destroy();
  } finally {
    clearTimeout(timer);
  }
}
