import { once } from 'node:events';
import { createServer, type ServerOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorResponse } from '../contract/errors.js';
import { answerMalformed } from './answer-malformed.js';
import { listen } from './listen.js';

/** Sends text on a connection that the client never closes, and returns the parsed error response. */
async function send(text: string, options: ServerOptions = {}) {
  const server = createServer(options);
  server.on('clientError', answerMalformed);
  const { origin } = await listen(server, { port: 0, host: '127.0.0.1' });
  const port = Number(new URL(origin).port);
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const [accepted] = (await once(server, 'connection')) as [Socket];
  const closed = once(accepted, 'close');
  let answer = '';
  client.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  client.write(text);
  await once(client, 'end');
  await closed;
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { head, error: errorResponse.parse(JSON.parse(body)).error };
}

describe('answerMalformed', () => {
  it.each([
    ['text that is not HTTP', 'GARBAGE\r\n\r\n', {}, '400 Bad Request'],
    ['a header line without a colon', 'GET / HTTP/1.1\r\nHost\r\n\r\n', {}, '400 Bad Request'],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      {},
      '431 Request Header Fields Too Large',
    ],
    [
      'headers that do not arrive in time',
      'GET / HTTP/1.1\r\n',
      { headersTimeout: 10, connectionsCheckingInterval: 10 },
      '408 Request Timeout',
    ],
  ])(
    'answers %s with an error in the envelope and closes the connection',
    async (_, text, options, status) => {
      const { head, error } = await send(text, options);
      expect(head).toContain(`HTTP/1.1 ${status}\r\n`);
      expect(head).toContain(`X-Request-Id: ${error.requestId}\r\n`);
      expect(head).toMatch(/Connection: close$/);
      expect(error.code).toBe('VALIDATION_FAILED');
    },
  );
});
