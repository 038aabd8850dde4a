import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readCsv } from './read-csv.js';

test('a large file is read as its rows are used, not before', async () => {
  const block = 'https://example.com/,Title\n'.repeat(2_500);
  const blocks = 1_500;
  let read = 0;
  async function* file() {
    for (; read < blocks; read++) yield block;
  }
  for await (const { cells } of readCsv(file(), ',')) {
    expect(cells).toEqual(['https://example.com/', 'Title']);
    // While the consumer is busy, the parser's queues fill.
    for (let before = -1; before < read; await setImmediate()) before = read;
    break;
  }
  // The parser's queue takes 4 MB of the 100 MB.
  expect((read * block.length) / 1e6).toBeLessThan(10);
});
