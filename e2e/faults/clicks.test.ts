import { createServer } from 'node:http';
import { verifyWebhook } from '@shorty/webhook-verifier';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../lib/api.js';
import { freePort, scratchFolder, startServer } from '../lib/processes.js';
import { followLinks } from '../lib/visitors.js';

const kills = 5;
const links = 20;

/** Starts a receiver that verifies signatures and stores the visits of each event by its link. */
async function startReceiver(secret: () => string) {
  const port = await freePort();
  const events = new Map<string, Map<string, number>>();
  const errors: unknown[] = [];
  let omitted = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    try {
      const body = Buffer.concat(chunks);
      const event = verifyWebhook({ body, headers: request.headers, secret: secret() });
      if (event.type !== 'url.clicked') throw new Error(event.type);
      const counts = new Map<string, number>();
      for (const { urlId } of event.data.visits) counts.set(urlId, (counts.get(urlId) ?? 0) + 1);
      if (!events.has(event.id)) omitted += event.data.omitted;
      events.set(event.id, counts);
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
  return {
    url: `http://127.0.0.1:${port}/hook`,
    errors,
    omitted: () => omitted,
    events: () => events.size,
    /** Returns the visits of each link in all events, each event once. */
    counts() {
      const sums: Record<string, number> = {};
      for (const counts of events.values()) {
        for (const [id, count] of counts) sums[id] = (sums[id] ?? 0) + count;
      }
      return sums;
    },
  };
}

test('a server that is killed under load has each stored click in exactly one event', async () => {
  const folder = scratchFolder();
  const port = await freePort();
  const environment = {
    SHORTY_ALLOW_PRIVATE_NETWORK: '1',
    SHORTY_WEBHOOK_RETRY_SCHEDULE: '0.2,1,2',
  };
  let server = await startServer({ port, folder, environment });
  const shorty = connect(server.origin);
  let secret = '';
  const hook = await startReceiver(() => secret);
  ({ secret } = await shorty.webhooks.create({ url: hook.url, events: ['url.clicked'] }));
  const { created } = await shorty.urls.bulkCreate(
    Array.from({ length: links }, () => ({ targetUrl: 'https://example.com' })),
  );
  const addresses = created.map(({ shortUrl }) => shortUrl);

  let answered = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const before = hook.events();
    const load = followLinks([addresses]);
    await expect
      .poll(hook.events, { message: 'events', timeout: 60_000, interval: 5 })
      .toBeGreaterThan(before + Math.floor(Math.random() * 3));
    await server.kill();
    await load.end();
    answered += load.answered();
    server = await startServer({ port, folder, environment });
  }

  const clickCounts = async () => {
    const counts: Record<string, number> = {};
    for (const { id } of created) counts[id] = (await shorty.urls.get(id)).clickCount;
    return counts;
  };
  // The leases of the server that was killed last expire after 20 s.
  await expect
    .poll(async () => differences(await clickCounts(), hook.counts()), {
      message: 'links whose stored clicks differ from the visits in events',
      timeout: 120_000,
      interval: 200,
    })
    .toEqual([]);
  const total = Object.values(hook.counts()).reduce((sum, count) => sum + count, 0);
  expect(total).toBeGreaterThanOrEqual(answered);
  expect(hook.omitted()).toBe(0);
  expect(hook.errors).toEqual([]);
  expect(await server.stop()).toBe(0);
});

function differences(stored: Record<string, number>, inEvents: Record<string, number>): string[] {
  return Object.entries(stored)
    .filter(([id, count]) => (inEvents[id] ?? 0) !== count)
    .map(([id, count]) => `link ${id}: ${count} clicks, ${inEvents[id] ?? 0} in events`);
}
