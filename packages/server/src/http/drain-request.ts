import type { IncomingMessage, ServerResponse } from 'node:http';
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
 * Reads and discards the rest of a request's body after its response, so that the client gets the
 * response before the connection is closed. Node itself would read without a limit.
 */
export function drainAfter(request: IncomingMessage, response: ServerResponse): void {
  if (!hasUnreadBody(request)) return;
  // Node then leaves the body to this function.
  request.read(0);
  response.once('finish', () => {
    if (!request.complete) drain(request).catch(() => request.destroy());
  });
}

/** Closes the connection of a body that exceeds the limit of bytes or time. */
async function drain(request: IncomingMessage): Promise<void> {
  const timer = setTimeout(() => request.destroy(), maxMs);
  try {
    let length = 0;
    for await (const chunk of chunksOf(request)) {
      length += chunk.length;
      if (length > maxBytes) request.destroy();
    }
  } finally {
    clearTimeout(timer);
  }
}
