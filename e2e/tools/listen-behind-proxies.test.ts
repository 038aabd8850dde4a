import { expect, test } from 'vitest';
import { connect } from '../lib/api.js';
import { startCaddy } from '../lib/caddy.js';
import { type Listening, startListening } from '../lib/listening.js';
import { startNginx } from '../lib/nginx.js';
import { newNode } from '../lib/nodes.js';

// A proxy must wait for the response to a request that the server holds.
const soon = { timeout: 15_000, interval: 20 };

/** Checks that events pass a proxy, also after a kill of the server. */
async function expectEvents(
  listening: Listening,
  node: Awaited<ReturnType<typeof newNode>>,
): Promise<void> {
  const shorty = connect(node.origin);
  const created: string[] = [];
  const expectNext = async () => {
    created.push((await shorty.urls.create({ targetUrl: 'https://example.com' })).id);
    await expect.poll(() => [...listening.timesByLink], soon).toEqual(created.map((id) => [id, 1]));
  };
  await expectNext();
  await expectNext();
  await node.kill();
  await node.restart();
  await expectNext();
  expect(listening.errors).toEqual([]);
  listening.child.kill('SIGINT');
  expect((await listening.done).code).toBe(130);
}

test.each([
  ['', 'as in the example'],
  ['gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1;', 'that compresses every response'],
])('webhooks listen gets events through nginx (%j), %s', async (directives) => {
  const node = await newNode();
  const { port } = await startNginx(new URL(node.origin).host, directives);
  await expectEvents(await startListening(`http://127.0.0.1:${port}`), node);
});

test('webhooks listen gets events through Caddy', async () => {
  const node = await newNode();
  const caddy = await startCaddy(new URL(node.origin).host, 'localhost');
  const listening = await startListening(`https://localhost:${caddy.httpsPort}`, {
    NODE_EXTRA_CA_CERTS: caddy.rootCertificate,
  });
  await expectEvents(listening, node);
});
