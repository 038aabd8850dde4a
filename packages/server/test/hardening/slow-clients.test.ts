import { afterAll, describe, expect, it } from 'vitest';
import { startAttackedServer } from './attacked-server.js';
import { openSocket, openSockets } from './open-sockets.js';

const many = 200;
const timeLimits = {
  headers: 1_500,
  request: 2_500,
  keepAlive: 1_000,
  response: 3_000,
  checks: 50,
};
const api = await startAttackedServer({ timeLimits });
afterAll(() => api.stop());

/** Sends a byte every 20 ms until the server closes the connection. Returns the received text. */
async function sendSlowly(first: string, byte: string): Promise<string> {
  const { socket, ended } = await openSocket(api.server.url, first);
  const timer = setInterval(() => {
    if (socket.writable) socket.write(byte);
  }, 20);
  const answer = await ended;
  clearInterval(timer);
  return answer;
}

describe('the server disconnects slow clients and serves other clients', () => {
  it('a client that connects and sends nothing', async () => {
    const sockets = await openSockets(api.server.url, many);
    await api.servesOthers();
    const answers = await Promise.all(sockets.map(({ ended }) => ended));
    expect(answers.every((answer) => answer.startsWith('HTTP/1.1 408 '))).toBe(true);
  });

  it('a client that sends headers byte by byte', async () => {
    const slow = Array.from({ length: many }, () =>
      sendSlowly('GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', 'a'),
    );
    await api.servesOthers();
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('a client that stays connected after its response', async () => {
    const sockets = await openSockets(
      api.server.url,
      many,
      'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n',
    );
    await api.servesOthers();
    const answers = await Promise.all(sockets.map(({ ended }) => ended));
    expect(
      answers.every(
        (answer) => answer.startsWith('HTTP/1.1 200 ') && answer.includes('"status":"ok"'),
      ),
    ).toBe(true);
  });

  it('a client that does not read its responses', async () => {
    const long = `https://example.com/${'a'.repeat(8_000)}`;
    await api.call('bulkCreateUrls', { body: { urls: Array(100).fill({ targetUrl: long }) } });
    const list = `GET /api/v1/urls?limit=100 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api.token}\r\n\r\n`;
    const sockets = await openSockets(api.server.url, 10);
    const cutOff = sockets.map(async ({ socket, ended }) => {
      socket.pause();
      socket.write(list.repeat(50));
      // A paused socket does not detect that it was closed; a write does.
      const timer = setInterval(() => socket.write(list), 50);
      await ended;
      clearInterval(timer);
      return socket.bytesRead;
    });
    await api.servesOthers();
    for (const bytes of await Promise.all(cutOff)) expect(bytes).toBeLessThan(40_000_000);
  });
});
