import { expect, it } from 'vitest';
import { checkWaits, findWaits } from '../scripts/check-waits.mjs';

it.each([
  ["import { setTimeout as sleep } from 'node:timers/promises';", 'imports a timer'],
  ['await new Promise((resolve) => setTimeout(resolve, 10));', 'sets a timer'],
  ['  await sleep(50);', 'sleeps'],
  ['while ((await count()) < 3) tries += 1;', 'polls without a deadline'],
  ['  while (queue.next());', 'polls without a deadline'],
])('the check of waits rejects %s', (line, finding) => {
  expect(findWaits(`const before = 1;\n${line}\n`, 'planted.test.ts')).toEqual([
    expect.stringContaining(`planted.test.ts:2: ${finding}`),
  ]);
});

it.each(["await once(child, 'close');", 'await expect.poll(count, { message }).toBe(3);'])(
  'the check of waits accepts %s',
  (line) => {
    expect(findWaits(line, 'planted.test.ts')).toEqual([]);
  },
);

it('no test of this repository waits for a fixed time', () => {
  expect(checkWaits()).toBeUndefined();
});
