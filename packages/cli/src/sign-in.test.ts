import { expect, it } from 'vitest';
import { serveWhileCollecting } from '../../sdk/test/serve-while-collecting.js';
import { fetchScopes } from './sign-in.js';

it('ends a request whose response never ends, also after a garbage collection', async () => {
  const baseUrl = await serveWhileCollecting((response) => response.write(' '));
  const signIn = { baseUrl, clientId: 'client', clientSecret: 'secret' };
  const io = { fetch, interrupt: new AbortController().signal };
  await expect(fetchScopes(signIn, io, 300)).rejects.toThrow(
    `no Shorty server responds at ${baseUrl}: no response within 300 ms`,
  );
});
