import { expect, it } from 'vitest';
import { restartDelayMs } from './restart-delay.js';

it('what ends soon after its start waits twice as long each time, up to ten seconds', () => {
  const delays = Array.from({ length: 10 }, (_, soonEnds) => restartDelayMs(soonEnds));
  expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000]);
  expect(restartDelayMs(5_000)).toBe(10_000);
});
