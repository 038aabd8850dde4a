import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it, onTestFinished } from 'vitest';
import { parsePostgresUrl } from '../../src/storage/postgres/postgres-url.js';
import { openServerPool } from '../../src/storage/postgres/server-pool.js';

/** A network that delays the query whether a server accepts writes. */
async function startSlowNetwork(to: number, lateMs: () => number): Promise<number> {
  const sockets = new Set<Socket>();
  const network = createServer((client) => {
    const server = connect(to, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    server.on('data', (bytes) => client.write(bytes));
    client.on('data', async (bytes) => {
      if (bytes.includes('transaction_read_only')) await sleep(lateMs());
      server.write(bytes);
    });
  });
  await new Promise<void>((resolve) => network.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    network.close();
  });
  return (network.address() as { port: number }).port;
}

it('loses no connection when a caller times out after it waited in the queue and for a slow server', async () => {
  const address = parsePostgresUrl(inject('postgres')?.adminUrl as string);
  let lateMs = 0;
  const port = await startSlowNetwork(address.hosts[0]?.port as number, () => lateMs);
  const hosts = [{ host: '127.0.0.1', port }];
  const pool = openServerPool({ ...address, hosts }, 1, false);
  const first = await pool.acquire();
  const waiting = pool.acquire();
  // The caller spends a second of its three in the queue, and needs 2.5 s for the slow server.
  await sleep(1_000);
  lateMs = 2_500;
  first.release(new Error('the connection is broken'));
  await waiting.then(
    (client) => client.release(),
    () => {},
  );
  lateMs = 0;
  const next = await pool.acquire();
  expect((await next.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  next.release();
  await pool.end();
}, 20_000);
