import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** How attacks reach the server: requests of a pool of connections. */
export function createTarget({ origin, signal }) {
  const pool = new Pool(origin, {
    connections: 64,
    pipelining: 1,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  });
  const statuses = new Map();
  const count = (status) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  signal.addEventListener('abort', () => void pool.destroy());

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
