import { expect, test } from 'vitest';
import { connect } from '../lib/api.js';
import { newNode } from '../lib/nodes.js';
import { collectDeliveries, startReceiver } from '../lib/receiver.js';

const kills = 2;
const perRequest = 20;

test('a server that is killed under load delivers every event at least once', async () => {
  const node = await newNode();
  const shorty = connect(node.origin);
  const { links, deliveriesOf, onEvent } = collectDeliveries();
  let secret = '';
  const hook = await startReceiver(() => secret, onEvent);
  const webhook = await shorty.webhooks.create({ url: hook.url, events: ['url.created'] });
  ({ secret } = webhook);

  const createdIds = new Set<string>();
  for (let kill = 0; kill < kills; kill += 1) {
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
    const before = links.size;
    const receivedAtKill = before + 50 + Math.floor(Math.random() * 100);
    await expect
      .poll(() => links.size, { message: 'received events', timeout: 60_000, interval: 5 })
      .toBeGreaterThanOrEqual(receivedAtKill);
    isOver = true;
    await node.kill();
    await Promise.allSettled(load);
    await node.restart();
  }

  const missing = () => [...createdIds].filter((id) => !links.has(id));
  await expect
    .poll(missing, { message: 'links without a delivery', timeout: 40_000, interval: 100 })
    .toEqual([]);
  expect(hook.errors).toEqual([]);
  const delivered = shorty.webhooks.deliveries(webhook.id, { status: 'delivered', limit: 100 });
  let count = 0;
  for await (const { id, eventId } of delivered) {
    expect([...(deliveriesOf.get(eventId) ?? [])]).toEqual([id]);
    count += 1;
  }
  expect(count).toBeGreaterThan(0);
  expect(await node.stop()).toBe(0);
});
