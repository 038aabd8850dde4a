import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { requestIdOf } from './request-id.js';

// The errors of Node's HTTP parser that have a status other than 400.
const statuses: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time' },
};

/**
 * Writes an error response to a socket and closes it. Used for requests that Node's HTTP parser
 * refuses, because they have no response object.
 */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, message } = statuses[error.code ?? ''] ?? {
    status: 400,
    message: 'The request is not valid HTTP',
  };
  const requestId = requestIdOf(undefined);
  const body = JSON.stringify({
    success: false,
    error: { code: 'VALIDATION_FAILED', message, requestId },
  });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    // The client may never close its side of the connection.
    () => socket.destroy(),
  );
}
