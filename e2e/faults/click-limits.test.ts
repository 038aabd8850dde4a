import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../packages/server/test/postgres/start-postgres.js';
import { connect } from '../lib/api.js';
import { newNode } from '../lib/nodes.js';
import { followLinks } from '../lib/visitors.js';

const maxClicks = 3_000;

test('two nodes on PostgreSQL redirect no visit too many while one is killed, and none too few', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await postgres.createDatabase('nodes');
  const nodes = [await newNode(postgres), await newNode(postgres)] as const;
  const shorty = connect(nodes[0].origin);
  const { id, shortCode } = await shorty.urls.create({
    targetUrl: 'https://example.com',
    maxClicks,
  });
  const visits = followLinks(nodes.map(({ origin }) => [`${origin}/${shortCode}`]));
  for (const share of [0.2, 0.5]) {
    await expect
      .poll(visits.answered, { message: 'redirects', timeout: 60_000, interval: 5 })
      .toBeGreaterThanOrEqual(maxClicks * share);
    await nodes[1].kill();
    await nodes[1].restart();
  }
  const clicksLeft = async () => (await shorty.urls.get(id)).clicksLeft;
  await expect.poll(clicksLeft, { message: 'clicks', timeout: 60_000 }).toBe(0);
  await expect.poll(() => visits.unexpected().join(), { timeout: 30_000 }).toContain('status 410');
  await visits.end();
  expect(visits.unexpected().filter((each) => !/^status (410|503)/.test(each))).toEqual([]);
  expect(visits.answered()).toBeLessThanOrEqual(maxClicks);
  // A visit that was cut off by a kill may have wasted a click.
  expect(visits.answered()).toBeGreaterThanOrEqual(maxClicks - visits.cutOff());
  for (const node of nodes) await node.stop();
});
