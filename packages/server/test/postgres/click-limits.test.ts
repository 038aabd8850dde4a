import { afterAll, expect, it } from 'vitest';
import { person as headers } from '../api/start-server.js';
import { type Node, startTwoNodes } from './two-nodes.js';

const visitors = 64;

const pair = await startTwoNodes();
const [first, second] = pair.nodes;
afterAll(() => pair.stop());

it.each([1, 150])(
  'two nodes redirect exactly %i of the visits of 64 visitors',
  async (maxClicks) => {
    const data = await first.createLink({ maxClicks });
    let redirects = 0;
    const unexpected: number[] = [];
    // Each visitor comes again until the link is used up.
    const visit = async (visitor: number): Promise<void> => {
      for (let turn = visitor; ; turn += 1) {
        const node = turn % 2 === 0 ? first : second;
        const { status } = await node.visit(`/${data.shortCode}`, { headers });
        if (status === 410) return;
        if (status === 307) redirects += 1;
        else unexpected.push(status);
      }
    };
    await Promise.all(Array.from({ length: visitors }, (_, visitor) => visit(visitor)));
    expect([redirects, unexpected]).toEqual([maxClicks, []]);
    const record = () => second.getLink(data.id);
    await expect.poll(async () => (await record()).clickCount).toBe(maxClicks);
    expect((await record()).clicksLeft).toBe(0);
  },
);

it('a lower limit holds on the other node', async () => {
  const data = await first.createLink({ maxClicks: 1_000 });
  const statusOn = async (node: Node) =>
    (await node.visit(`/${data.shortCode}`, { headers })).status;
  await Promise.all(Array.from({ length: visitors }, () => statusOn(second)));
  await first.call('updateUrl', { params: { id: data.id }, body: { maxClicks: visitors } });
  await expect.poll(() => statusOn(second)).toBe(410);
  expect(await statusOn(first)).toBe(410);
  await first.call('updateUrl', { params: { id: data.id }, body: { maxClicks: 2_000 } });
  expect(await statusOn(first)).toBe(307);
});
