import { expect, onTestFinished, test } from 'vitest';
import { poll } from '../../packages/server/test/poll.js';
import { startPostgres } from '../../packages/server/test/postgres/start-postgres.js';
import { connect } from '../lib/api.js';
import { addUpClicks } from '../lib/clicked-events.js';
import { newNode } from '../lib/nodes.js';
import { startReceiver } from '../lib/receiver.js';
import { followLinks } from '../lib/visitors.js';

const kills = 2;
const links = 20;

test('a server that is killed under load has each stored click in exactly one event', async () => {
  const node = await newNode();
  const { shorty, created, hook, clicks } = await subscribe(node.origin);
  const addresses = created.map(({ shortUrl }) => shortUrl);

  let answered = 0;
  let cutOff = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const before = clicks.events();
    const load = followLinks([addresses]);
    await expect
      .poll(clicks.events, { message: 'events', timeout: 60_000, interval: 5 })
      .toBeGreaterThan(before + Math.floor(Math.random() * 3));
    await node.kill();
    await load.end();
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
  expect(hook.errors).toEqual([]);
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
