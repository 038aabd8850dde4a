import { expect, test } from 'vitest';
import { connect } from '../lib/api.js';
import { startCaddy } from '../lib/caddy.js';
import { startNginx } from '../lib/nginx.js';
import { type Node, newNode } from '../lib/nodes.js';
import { scratchFolder, shorty } from '../lib/processes.js';
import { startReceiver } from '../lib/receiver.js';

// A proxy must wait for the response to a request that the server holds.
const soon = { timeout: 15_000, interval: 20 };
const secret = 'secret-of-the-receiver';

/** Checks that each event passes a proxy once, also after a kill of the server. */
async function expectEvents(node: Node, origin: string, environment: NodeJS.ProcessEnv = {}) {
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
  const { urls } = connect(node.origin);
  const created: string[] = [];
  const expectNext = async () => {
    created.push((await urls.create({ targetUrl: 'https://example.com' })).id);
    await expect.poll(() => received, soon).toEqual(created);
  };
  await expectNext();
  await expectNext();
  await node.kill();
  await node.restart();
  await expectNext();
  expect(receiver.errors).toEqual([]);
  listening.child.kill('SIGINT');
  expect((await listening.ended).code).toBe(130);
}

test.each([
  ['', 'as in the example'],
  ['gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1;', 'that compresses every response'],
])('webhooks listen gets events through nginx (%j), %s', async (directives) => {
  const node = await newNode();
  const { port } = await startNginx(new URL(node.origin).host, directives);
  await expectEvents(node, `http://127.0.0.1:${port}`);
});

test('webhooks listen gets events through Caddy', async () => {
  const node = await newNode();
  const caddy = await startCaddy(new URL(node.origin).host, 'localhost');
  await expectEvents(node, `https://localhost:${caddy.httpsPort}`, {
    NODE_EXTRA_CA_CERTS: caddy.rootCertificate,
  });
});
