import { expect, onTestFinished, test } from 'vitest';
import { poll } from '../../packages/server/test/poll.js';
import { startPostgres } from '../../packages/server/test/postgres/start-postgres.js';
import { connect } from '../lib/api.js';
import { addUpClicks } from '../lib/clicked-events.js';
import { newNode } from '../lib/nodes.js';
import { collectDeliveries, startReceiver } from '../lib/receiver.js';
import { followLinks } from '../lib/visitors.js';

const kills = 2;
const links = 20;

test('a server that is killed under load delivers every event at least once, and each stored click in one event', async () => {
  const node = await newNode();
  const { shorty, created, hook, clicks } = await subscribe(node.origin);
  const addresses = created.map(({ shortUrl }) => shortUrl);
  const { links: received, deliveriesOf, onEvent } = collectDeliveries();
  let secret = '';
  const other = await startReceiver(() => secret, onEvent);
  const webhook = await shorty.webhooks.create({ url: other.url, events: ['url.created'] });
  ({ secret } = webhook);

  const createdIds = new Set<string>();
  let answered = 0;
  let cutOff = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    let isOver = false;
    const items = Array(20).fill({ targetUrl: 'https://example.com' });
    const creators = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        for (const { id } of (await shorty.urls.bulkCreate(items)).created) createdIds.add(id);
      }
    });
    const load = followLinks([addresses]);
    const least = {
      clicked: clicks.events() + 1 + Math.floor(Math.random() * 3),
      created: received.size + 50 + Math.floor(Math.random() * 100),
    };
    await expect
      .poll(() => clicks.events() >= least.clicked && received.size >= least.created, {
        message: 'events',
        timeout: 60_000,
        interval: 5,
      })
      .toBe(true);
    isOver = true;
    await node.kill();
    await Promise.all([load.end(), Promise.allSettled(creators)]);
    answered += load.answered();
    cutOff += load.cutOff();
    await node.restart();
  }

  await clicks.containEachClickOf(
    shorty,
    created.map(({ id }) => id),
    answered,
  );
  expect(clicks.total()).toBeGreaterThanOrEqual(answered);
  expect(clicks.total()).toBeLessThanOrEqual(answered + cutOff);
  const missing = () => [...createdIds].filter((id) => !received.has(id));
  await expect
    .poll(missing, { message: 'links without a delivery', timeout: 40_000, interval: 100 })
    .toEqual([]);
  expect([...hook.errors, ...other.errors]).toEqual([]);
  const delivered = shorty.webhooks.deliveries(webhook.id, { status: 'delivered', limit: 100 });
  let count = 0;
  for await (const { id, eventId } of delivered) {
    expect([...(deliveriesOf.get(eventId) ?? [])]).toEqual([id]);
    count += 1;
  }
  expect(count).toBeGreaterThan(0);
  expect(await node.stop()).toBe(0);
});

test('two nodes, of which one is killed again and again, have each click in exactly one event', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await postgres.createDatabase('nodes');
  const nodes = [await newNode(postgres), await newNode(postgres)] as const;
  const [survivor, victim] = nodes;
  const { shorty, created, hook, clicks } = await subscribe(survivor.origin);
  const load = followLinks(
    nodes.map(({ origin }) => created.map(({ shortCode }) => `${origin}/${shortCode}`)),
  );
  for (let kill = 0; kill < kills; kill += 1) {
    const enough = load.answered() + 200 + Math.floor(Math.random() * 200);
    const isEnough = (answered: number) => answered > enough;
    await poll(`${enough} redirects`, load.answered, isEnough, { timeoutMs: 60_000 });
    await victim.kill();
    const more = load.answered() + 50;
    await poll(`${more} redirects`, load.answered, (answered) => answered > more);
    await victim.restart();
  }
  await load.end();

  await clicks.containEachClickOf(
    shorty,
    created.map(({ id }) => id),
    load.answered(),
  );
  expect(load.unexpected()).toEqual([]);
  expect(clicks.total()).toBeGreaterThanOrEqual(load.answered());
  expect(clicks.total()).toBeLessThanOrEqual(load.answered() + load.cutOff());
  expect(hook.errors).toEqual([]);
  for (const node of nodes) expect(await node.stop()).toBe(0);
});

/** Subscribes a receiver to url.clicked, and creates links. */
async function subscribe(origin: string) {
  const shorty = connect(origin);
  const clicks = addUpClicks();
  let secret = '';
  const hook = await startReceiver(() => secret, clicks.onEvent);
  ({ secret } = await shorty.webhooks.create({ url: hook.url, events: ['url.clicked'] }));
  const { created } = await shorty.urls.bulkCreate(
    Array.from({ length: links }, () => ({ targetUrl: 'https://example.com' })),
  );
  return { shorty, created, hook, clicks };
}
