import { expect, test } from 'vitest';
import { connect } from '../lib/api.js';
import { startCaddy } from '../lib/caddy.js';
import { startNginx } from '../lib/nginx.js';
import { newNode } from '../lib/nodes.js';
import { scratchFolder, shorty } from '../lib/processes.js';
import { startReceiver } from '../lib/receiver.js';

// A proxy must wait for the response to a request that the server holds.
const soon = { timeout: 15_000, interval: 20 };
const secret = 'secret-of-the-receiver';

/** Starts a CLI that listens behind a proxy, and returns the ids of the links whose events it forwards. */
async function listenBehind(origin: string, environment: NodeJS.ProcessEnv = {}) {
  const received: unknown[] = [];
  const receiver = await startReceiver(
    () => secret,
    ({ data }) => received.push((data as { id: unknown }).id),
  );
  const args = ['webhooks', 'listen', '--events', 'url.created', '--forward-to', receiver.url];
  const listening = shorty(args, scratchFolder(), origin, {
    SHORTY_WEBHOOK_SECRET: secret,
    ...environment,
  });
  await listening.until(/Ctrl-C stops/);
  return { received, receiver, listening };
}

test('webhooks listen gets each event once through nginx, nginx that compresses, and Caddy, also after a kill of the server', async () => {
  const node = await newNode();
  const { host } = new URL(node.origin);
  const compressing = 'gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1;';
  const caddy = await startCaddy(host, 'localhost');
  const listeners = [
    await listenBehind(`https://localhost:${caddy.httpsPort}`, {
      NODE_EXTRA_CA_CERTS: caddy.rootCertificate,
    }),
  ];
  for (const directives of ['', compressing]) {
    const { port } = await startNginx(host, directives);
    listeners.push(await listenBehind(`http://127.0.0.1:${port}`));
  }
  const { urls } = connect(node.origin);
  const created: string[] = [];
  const expectNext = async () => {
    created.push((await urls.create({ targetUrl: 'https://example.com' })).id);
    for (const { received } of listeners) {
      await expect.poll(() => received, soon).toEqual(created);
    }
  };
  await expectNext();
  await expectNext();
  await node.kill();
  await node.restart();
  await expectNext();
  for (const { receiver, listening } of listeners) {
    expect(receiver.errors).toEqual([]);
    listening.child.kill('SIGINT');
    expect((await listening.ended).code).toBe(130);
  }
});
