import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** How attacks reach the server: raw bytes on a socket, or requests of a pool of connections. */
export function createTarget({ origin, port, signal }) {
  const pool = new Pool(origin, {
    connections: 64,
    pipelining: 1,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  });
  const statuses = new Map();
  const count = (status) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const sockets = new Set();
  signal.addEventListener('abort', () => {
    for (const socket of sockets) socket.destroy();
    void pool.destroy();
  });

  return {
    origin,
    signal,
    statuses,
    /** Sends a request and counts the status. Returns undefined without a response. */
    async request(method, path, { headers = {}, body } = {}) {
      try {
        const response = await pool.request({ method, path, headers, body, signal });
        const text = await response.body.text();
        count(response.statusCode);
        return { status: response.statusCode, text };
      } catch (error) {
        if (!signal.aborted) count(error.code ?? error.name);
        return undefined;
      }
    },
    /** Opens a socket, writes the bytes, and resolves when the server ends it or after `holdMs`. */
    raw(bytes, { holdMs = 5_000 } = {}) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const socket = connect(port, '127.0.0.1');
        sockets.add(socket);
        let head = '';
        socket.setTimeout(holdMs, () => socket.destroy());
        socket.on('error', (error) => count(error.code));
        socket.on('data', (chunk) => {
          if (head.length < 16) head += chunk.toString('latin1', 0, 16);
        });
        socket.on('close', () => {
          sockets.delete(socket);
          count(Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]) || 'no response');
          resolve();
        });
        socket.write(bytes);
      });
    },
  };
}

const pauseMs = 10;

/** Repeats the work in `atOnce` concurrent loops until the signal is aborted. */
export async function repeat(signal, atOnce, work) {
  let turn = 0;
  const loop = async () => {
    while (!signal.aborted) {
      turn += 1;
      await work(turn);
      // Limits the rate: these attacks are not about volume, which overloads any server.
      await sleep(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
}

export const bearer = (tenant, more = {}) => ({
  authorization: `Bearer ${tenant.token}`,
  'content-type': 'application/json',
  ...more,
});
