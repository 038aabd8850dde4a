import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barText, columnChart } from './time-chart.js';

test.each([
  [10, 10, 4, '████'],
  [6, 10, 4, '██▍'],
  [1, 1_000_000, 4, '▏'],
  [0, 10, 4, ''],
  [3, 0, 4, ''],
  [20, 10, 4, '████'],
])('%d of %d in %d columns', (value, max, width, expected) => {
  expect(barText(value, max, width)).toBe(expected);
});

test('columns share a base line', () => {
  expect(columnChart([0, 1, 2, 4, 8, 16], { height: 2 })).toEqual(['     █', ' ▁▂▄██']);
  expect(columnChart([2, 0, 1], { height: 1, barWidth: 2, gap: 1 })).toEqual(['██    ▄▄']);
});

test('a chart has the given height and width, and the maximum reaches the top', () => {
  const counts = fc.array(fc.nat(), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 9 }), (values, height) => {
      const lines = columnChart(values, { height });
      expect(lines).toHaveLength(height);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(values.length);
      const top = Math.max(...values);
      if (top > 0) expect(lines[0]?.[values.indexOf(top)]).toBe('█');
      // Each value above zero reaches the bottom line.
      const bottom = lines.at(-1) ?? '';
      expect(values.map((value) => value > 0)).toEqual(
        values.map((_, index) => (bottom[index] ?? ' ') !== ' '),
      );
    }),
  );
});
