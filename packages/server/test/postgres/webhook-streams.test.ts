import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStream } from '../webhooks/stream-reader.js';
import { type Node, startTwoNodes, type TwoNodes } from './two-nodes.js';

let pair: TwoNodes;
let first: Node;
let second: Node;
beforeAll(async () => {
  pair = await startTwoNodes();
  [first, second] = pair.nodes;
});
afterAll(() => pair.stop());

const createUrl = async (node: Node) =>
  (await node.call('createUrl', { body: { targetUrl: 'https://example.com/' } })).data.id;

it('a stream on one node gets the events of the other, whichever node gets the outcomes', async () => {
  const { id } = (await first.call('createWebhookStream', { body: {} })).data;
  const reader = await openStream(first.server.url, first.token, id);
  const ids = [];
  // More than a client may have without outcomes.
  for (let count = 0; count < 130; count += 1) {
    ids.push(await createUrl(count % 2 === 0 ? first : second));
  }
  await reader.arrived(100);
  const outcomes = () =>
    reader.deliveries.map((delivery) => ({
      deliveryId: delivery.id,
      statusCode: 204,
      durationMs: 1,
    }));
  const report = (node: Node, body: object) =>
    node.call('reportOutcomes', { params: { id }, body });
  await report(second, { outcomes: outcomes().slice(0, 60) });
  await report(first, { outcomes: outcomes().slice(60, 100) });
  await reader.arrived(130);
  await report(second, { outcomes: outcomes().slice(100) });
  const received = reader.deliveries.map(({ body }) => JSON.parse(body).data.id);
  expect([...received].sort()).toEqual([...ids].sort());
  const query = { status: 'delivered', limit: 1 };
  const page = await first.call('listDeliveries', { params: { id }, query });
  expect(page.data.total).toBe(130);
});

it('a client moves to the other node, which sends what has no outcome, and the first node ends', async () => {
  const { id } = (await first.call('createWebhookStream', { body: {} })).data;
  const before = await openStream(first.server.url, first.token, id);
  const created = await createUrl(first);
  await before.arrived(1);
  // The first connection is still open, as if its client's network had gone.
  const after = await openStream(second.server.url, second.token, id);
  await after.arrived(1);
  expect(after.deliveries.map((delivery) => delivery.id)).toEqual(
    before.deliveries.map((delivery) => delivery.id),
  );
  expect(JSON.parse(after.deliveries[0]?.body ?? '').data.id).toBe(created);
  await expect.poll(before.hasEnded).toBe(true);
  const later = await createUrl(first);
  await after.arrived(2);
  expect(JSON.parse(after.deliveries[1]?.body ?? '').data.id).toBe(later);
  expect(before.deliveries).toHaveLength(1);
});
