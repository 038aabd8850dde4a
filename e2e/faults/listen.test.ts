import { expect, test } from 'vitest';
import { poll } from '../../packages/server/test/poll.js';
import { connect } from '../lib/api.js';
import { startListening } from '../lib/listening.js';
import { newNode } from '../lib/nodes.js';

const kills = 5;
const perRequest = 20;
// One event is forwarded after another. The load must not leave a long backlog.
const maxWaiting = 400;
const sent = { timeout: 60_000, interval: 20 };

test('a server that is killed under webhooks listen loses no event, and repeats none', async () => {
  const node = await newNode();
  const shorty = connect(node.origin);
  const listening = await startListening(node.origin);
  const { timesByLink } = listening;
  const createdIds = new Set<string>();
  for (let kill = 0; kill < kills; kill += 1) {
    let isOver = false;
    const load = Array.from({ length: 2 }, async () => {
      while (!isOver) {
        const isBehind = () => !isOver && createdIds.size - timesByLink.size > maxWaiting;
        await poll('fewer waiting events', isBehind, (behind) => !behind);
        const items = Array.from({ length: perRequest }, () => ({
          targetUrl: 'https://example.com',
        }));
        const { created } = await shorty.urls.bulkCreate(items);
        for (const { id } of created) createdIds.add(id);
      }
    });
    const arrivedAtKill = timesByLink.size + 50 + Math.floor(Math.random() * 50);
    await expect.poll(() => timesByLink.size, sent).toBeGreaterThanOrEqual(arrivedAtKill);
    isOver = true;
    await node.kill();
    await Promise.allSettled(load);
    await node.restart();
  }
  const missing = () => [...createdIds].filter((id) => !timesByLink.has(id));
  await expect.poll(missing, { ...sent, message: 'links without an event' }).toEqual([]);
  expect([...timesByLink.values()].filter((times) => times > 1)).toEqual([]);
  expect(listening.errors).toEqual([]);
  listening.child.kill('SIGINT');
  expect((await listening.done).code).toBe(130);
  expect(await node.stop()).toBe(0);
});
