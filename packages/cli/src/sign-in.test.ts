import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { fetchScopes } from './sign-in.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('ends a request whose response never ends, also after a garbage collection', async () => {
  const server = createServer((_, response) => response.write(' '));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const collecting = setInterval(collectGarbage, 20);
  onTestFinished(() => {
    clearInterval(collecting);
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signIn = { baseUrl, clientId: 'client', clientSecret: 'secret' };
  const io = { fetch, interrupt: new AbortController().signal };
  await expect(fetchScopes(signIn, io, 300)).rejects.toThrow(
    `no Shorty server responds at ${baseUrl}: no response within 300 ms`,
  );
});
