import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { requestIdOf } from './request-id.js';

// What Node's parser gives up on never becomes a request: it is answered on the bare socket.
const statuses: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time' },
};

export function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, message } = statuses[error.code ?? ''] ?? {
    status: 400,
    message: 'The request is no valid HTTP',
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
    // Its sender may never close its side, and nothing else would end the connection then.
    () => socket.destroy(),
  );
}
