import { Agent, get } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { thinkTime } from '../../packages/server/test/poll.js';
import { startPostgres } from '../../packages/server/test/postgres/start-postgres.js';
import { connect } from '../lib/api.js';
import { type Node, newNode } from '../lib/nodes.js';
import { headers } from '../lib/visitors.js';

const visitors = 64;
const maxClicks = 3_000;

/** Visits a link on nodes in turn with 64 visitors at once, and counts the responses by their status. */
function visitUntilEnd(addresses: readonly string[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: visitors });
  const responses = { redirects: 0, gone: 0, unavailable: 0, cutOff: 0, others: 0 };
  let isOver = false;
  const visit = (address: string) =>
    new Promise<boolean>((resolve) => {
      const request = get(address, { agent, headers }, (response) => {
        response.resume();
        response.once('end', () => {
          const { statusCode } = response;
          if (statusCode === 307) responses.redirects += 1;
          else if (statusCode === 410) responses.gone += 1;
          else if (statusCode === 503) responses.unavailable += 1;
          else responses.others += 1;
          resolve(statusCode === 307);
        });
        response.once('error', () => request.destroy());
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ECONNREFUSED') responses.cutOff += 1;
        resolve(false);
      });
    });
  const running = Array.from({ length: visitors }, async (_, visitor) => {
    for (let turn = visitor; !isOver; turn += 1) {
      const isRedirected = await visit(addresses[turn % addresses.length] as string);
      if (!isRedirected) await thinkTime(50);
    }
  });
  onTestFinished(() => {
    isOver = true;
  });
  return {
    responses,
    redirected: (count: number) =>
      expect
        .poll(() => responses.redirects, { message: 'redirects', timeout: 60_000, interval: 5 })
        .toBeGreaterThanOrEqual(count),
    async end() {
      isOver = true;
      await Promise.all(running);
      agent.destroy();
    },
  };
}

/** Kills nodes while visitors come, restarts them, and uses up the clicks of a link. */
async function useUp(nodes: readonly Node[], killed: Node): Promise<void> {
  const [first] = nodes as [Node];
  const shorty = connect(first.origin);
  const created = await shorty.urls.create({ targetUrl: 'https://example.com', maxClicks });
  const addresses = nodes.map(({ origin }) => `${origin}/${created.shortCode}`);
  const visits = visitUntilEnd(addresses);
  for (const share of [0.2, 0.5]) {
    await visits.redirected(maxClicks * share);
    await killed.kill();
    await killed.restart();
  }
  const clicksLeft = async () => (await shorty.urls.get(created.id)).clicksLeft;
  await expect.poll(clicksLeft, { message: 'clicks', timeout: 60_000 }).toBe(0);
  const { gone } = visits.responses;
  await expect
    .poll(() => visits.responses.gone, { message: '410', timeout: 30_000 })
    .toBeGreaterThanOrEqual(gone + visitors);
  await visits.end();
  const { redirects, cutOff, others } = visits.responses;
  expect(others).toBe(0);
  expect(redirects).toBeLessThanOrEqual(maxClicks);
  // A visit that was cut off by a kill may have wasted a click.
  expect(redirects).toBeGreaterThanOrEqual(maxClicks - cutOff);
}

test('a killed server on SQLite redirects no visit too many, and none too few', async () => {
  const node = await newNode();
  onTestFinished(async () => {
    await node.stop();
  });
  await useUp([node], node);
});

test('two nodes on PostgreSQL redirect no visit too many while one is killed, and none too few', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await postgres.createDatabase('nodes');
  const nodes = [await newNode(postgres), await newNode(postgres)] as const;
  onTestFinished(async () => {
    for (const node of nodes) await node.stop();
  });
  await useUp(nodes, nodes[1]);
});
