import { expect, test } from 'vitest';
import { linkSources } from './link-sources.js';
import { readRows } from './read-rows.js';

test('JSON of more than 256 MB is refused while it is read', async () => {
  const block = ' '.repeat(1_000_000);
  let blocks = 0;
  async function* text() {
    yield '[';
    for (; ; blocks++) yield block;
  }
  const reading = readRows(
    { name: 'links.json', text },
    { source: linkSources.kutt, isKnown: () => true },
  );
  await expect(reading).rejects.toThrow('links.json is JSON of more than 256 MB');
  expect(blocks).toBeLessThan(257);
});
