import { expect, test } from 'vitest';
import { formatCount } from './format-count.js';

test.each([
  [0, '0 links'],
  [1, '1 link'],
  [2, '2 links'],
  [1001, '1,001 links'],
])('count %d', (count, text) => expect(formatCount(count, 'link')).toBe(text));

test('an irregular plural', () => {
  expect(formatCount(1, 'delivery', 'deliveries')).toBe('1 delivery');
  expect(formatCount(2, 'delivery', 'deliveries')).toBe('2 deliveries');
});
