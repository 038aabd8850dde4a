import { expect, test } from 'vitest';
import { countTicks, labelPositions } from './axis.js';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [10, [0, 5, 10]],
  [1092, [0, 500, 1000, 1500]],
])('a scale up to %d', (max, ticks) => expect(countTicks(max)).toEqual(ticks));

test.each([
  [3, 6, [0, 1, 2]],
  [30, 6, [0, 5, 10, 15, 20, 25]],
  [31, 6, [0, 6, 12, 18, 24, 30]],
  [0, 6, []],
])('%d bars with up to %d labels', (length, count, positions) => {
  expect(labelPositions(length, count)).toEqual(positions);
});
