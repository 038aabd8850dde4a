import { expect, test } from 'vitest';
import { thinkTime } from '../../packages/server/test/poll.js';
import { connect } from '../lib/api.js';
import { newNode } from '../lib/nodes.js';
import { collectDeliveries, startReceiver } from '../lib/receiver.js';
import { followLinks } from '../lib/visitors.js';

const stops = 2;
const targetUrl = 'https://example.com/';

test('a stop under load ends in time, and loses nothing that was acknowledged', async () => {
  const node = await newNode();
  // The retries of this client would wait for the next start.
  const shorty = connect(node.origin, { maxRetries: 0 });
  const { links: received, onEvent } = collectDeliveries();
  let secret = '';
  const hook = await startReceiver(() => secret, onEvent);
  ({ secret } = await shorty.webhooks.create({ url: hook.url, events: ['url.created'] }));
  const hanging = await startReceiver(() => '', onEvent);
  hanging.pause();
  await shorty.webhooks.create({ url: hanging.url, events: ['url.created'] });
  const { created: visited } = await shorty.urls.bulkCreate(Array(20).fill({ targetUrl }));
  const acknowledged = new Set(visited.map(({ id }) => id));
  const total = { answered: 0, cutOff: 0 };
  const clicks = async () => {
    const records = await Promise.all(visited.map(({ id }) => shorty.urls.get(id)));
    return records.reduce((sum, { clickCount }) => sum + clickCount, 0);
  };

  for (let stop = 0; stop < stops; stop += 1) {
    let isOver = false;
    /** Repeats work until it fails, which the stop causes. */
    const repeat = async (work: () => Promise<unknown>) => {
      while (!isOver) await work().catch(() => thinkTime(10));
    };
    const visits = followLinks([visited.map(({ shortUrl }) => shortUrl)]);
    const load = [
      ...Array.from({ length: 4 }, () =>
        repeat(async () => acknowledged.add((await shorty.urls.create({ targetUrl })).id)),
      ),
      repeat(async () => {
        const { created } = await shorty.urls.bulkCreate(Array(100).fill({ targetUrl }));
        for (const { id } of created) acknowledged.add(id);
      }),
      repeat(() => shorty.analytics.overview()),
      // A request that the server holds until it stops.
      repeat(() => shorty.events.list({ after: 'latest', type: 'domain.verified', wait: 25 })),
    ];
    const before = acknowledged.size;
    await expect
      .poll(() => Math.min(visits.answered(), acknowledged.size - before), { timeout: 60_000 })
      .toBeGreaterThanOrEqual(200);
    const startedAt = performance.now();
    expect(await node.stop()).toBe(0);
    // Then the server would end itself.
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    isOver = true;
    await Promise.all([...load, visits.end()]);
    total.answered += visits.answered();
    total.cutOff += visits.cutOff();
    await node.restart();
  }

  const stored = new Set((await shorty.urls.list().toArray()).map(({ id }) => id));
  expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
  await expect.poll(clicks, { message: 'clicks' }).toBeGreaterThanOrEqual(total.answered);
  expect(await clicks()).toBeLessThanOrEqual(total.answered + total.cutOff);
  const missing = () => [...acknowledged].filter((id) => !received.has(id));
  await expect.poll(missing, { timeout: 60_000, message: 'links without a delivery' }).toEqual([]);
  expect(hook.errors).toEqual([]);
  hanging.resume();
  expect(await node.stop()).toBe(0);
});
