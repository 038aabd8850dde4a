import { createServer } from 'node:http';
import { verifyWebhook } from '@shorty/webhook-verifier';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../lib/api.js';
import { credentials, freePort, scratchFolder, startServer } from '../lib/processes.js';

const kills = 10;
const perRequest = 20;

interface Webhook {
  readonly id: string;
  readonly secret: string;
}

/** Starts a receiver that verifies signatures and records the deliveries of each event. */
async function startReceiver(secret: () => string) {
  const port = await freePort();
  const deliveriesOf = new Map<string, Set<string>>();
  const links = new Set<string>();
  const errors: unknown[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    try {
      const event = verifyWebhook({
        body: Buffer.concat(chunks),
        headers: request.headers,
        secret: secret(),
      });
      links.add(String(event.data.id));
      const ids = deliveriesOf.get(event.id) ?? new Set();
      deliveriesOf.set(event.id, ids.add(String(request.headers['x-service-delivery-id'])));
      response.writeHead(204).end();
    } catch (error) {
      errors.push(error);
      response.writeHead(401).end();
    }
  });
  server.listen(port, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/hook`, links, deliveriesOf, errors };
}

test('a server that is killed under load delivers every event at least once', async () => {
  const folder = scratchFolder();
  const port = await freePort();
  const environment = {
    SHORTY_ALLOW_PRIVATE_NETWORK: '1',
    SHORTY_WEBHOOK_RETRY_SCHEDULE: '0.2,1,2',
  };
  let server = await startServer({ port, folder, environment });
  let webhook: Webhook = { id: '', secret: '' };
  const hook = await startReceiver(() => webhook.secret);

  const { data: token } = await api<{ accessToken: string }>(server.origin, '/auth/token', {
    body: {
      clientId: credentials.SHORTY_CLIENT_ID,
      clientSecret: credentials.SHORTY_CLIENT_SECRET,
    },
  });
  const call = <T>(path: string, body?: object) =>
    api<T>(server.origin, path, { body, token: token.accessToken });
  webhook = (await call<Webhook>('/webhooks', { url: hook.url, events: ['url.created'] })).data;

  const createdIds = new Set<string>();
  for (let kill = 0; kill < kills; kill += 1) {
    const shorty = connect(server.origin);
    let isOver = false;
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const items = Array.from({ length: perRequest }, () => ({
          targetUrl: 'https://example.com',
        }));
        const { created } = await shorty.urls.bulkCreate(items);
        for (const { id } of created) createdIds.add(id);
      }
    });
    const before = hook.links.size;
    const receivedAtKill = before + 50 + Math.floor(Math.random() * 100);
    await expect
      .poll(() => hook.links.size, { message: 'received events', timeout: 60_000, interval: 5 })
      .toBeGreaterThanOrEqual(receivedAtKill);
    isOver = true;
    await server.kill();
    await Promise.allSettled(load);
    server = await startServer({ port, folder, environment });
  }

  // The leases of the server that was killed last expire after 20 s.
  const missing = () => [...createdIds].filter((id) => !hook.links.has(id));
  await expect
    .poll(missing, { message: 'links without a delivery', timeout: 40_000, interval: 100 })
    .toEqual([]);
  expect(hook.errors).toEqual([]);
  const delivered = await everyDelivered(call, webhook.id);
  for (const { id, eventId } of delivered) {
    expect([...(hook.deliveriesOf.get(eventId) ?? [])]).toEqual([id]);
  }
  expect(delivered.length).toBeGreaterThan(0);
  expect(await server.stop()).toBe(0);
});

interface Delivery {
  readonly id: string;
  readonly eventId: string;
}

/** Returns all deliveries with the status `delivered`. */
async function everyDelivered(
  call: <T>(path: string) => Promise<{ data: T }>,
  webhookId: string,
): Promise<Delivery[]> {
  const all: Delivery[] = [];
  for (let offset = 0; ; offset += 100) {
    const query = `status=delivered&limit=100&offset=${offset}`;
    const { data } = await call<{ items: Delivery[] }>(
      `/webhooks/${webhookId}/deliveries?${query}`,
    );
    all.push(...data.items);
    if (data.items.length < 100) return all;
  }
}

async function api<T>(
  origin: string,
  path: string,
  { body, token }: { body?: object | undefined; token?: string },
): Promise<{ data: T }> {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { data: T };
}
