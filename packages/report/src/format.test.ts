import { expect, test } from 'vitest';
import { formatDuration, formatUsd } from './format.js';
import { cutText, displayWidth } from './text-width.js';

test.each([
  [0, '0.0 s'],
  [10_000, '10 s'],
  [59_400, '59 s'],
  [59_600, '1 min'],
  [200_000, '3 min 20 s'],
  [7_500_000, '2 h 5 min'],
])('duration %d ms', (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [0, '0.00'],
  [0.15, '0.15'],
  [3.2, '3.20'],
  [0.0000075, '0.0000075'],
  [1234.50001, '1234.50001'],
])('%d US dollars', (amount, text) => expect(formatUsd(amount)).toBe(text));

test('a text is cut to its width, also between wide characters', () => {
  const widths = [0, 1, 2, 3, 4, 5, 18];
  expect(widths.map((width) => displayWidth(cutText('日本語'.repeat(9), width)))).toEqual([
    0, 1, 1, 3, 3, 5, 17,
  ]);
});
