import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeDays } from '../../cli/test/click-fixtures.js';
import { toBars } from './bars.js';
import { svgChart } from './svg-chart.js';

function chartOf(counts: readonly number[], maxBars = 400): string {
  return svgChart(toBars(wholeDays(counts), 'day', maxBars), 'day').toString();
}

function numbersOf(chart: string, name: string, attribute: string): number[] {
  const rects = chart.matchAll(
    new RegExp(`<rect class="${name}"[^>]* ${attribute}="([\\d.]+)`, 'g'),
  );
  return [...rects].map(([, value]) => Number(value));
}

test('the height of bars matches the labelled scale', () => {
  const chart = chartOf([0, 500, 1000]);
  expect(numbersOf(chart, 'clicks', 'height')).toEqual([0, 100, 200]);
  expect(chart).toMatch(/<text x="\d+" y="14" text-anchor="end">1,000<\/text>/);
  expect(chart).toContain('aria-label="1,500 clicks over time"');
  expect(chart).toContain('>1 Nov</text>');
});

test('bars of several days have no visitors', () => {
  const chart = chartOf([1, 2, 3, 4], 2);
  expect(chart).toContain('<title>2 days from 2030-11-03: 7 clicks</title>');
  expect(numbersOf(chart, 'uniques', 'height')).toEqual([]);
});

test('bars stay within the chart, and every count above 0 is visible', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 200 }), (counts) => {
      const chart = chartOf(counts);
      const heights = numbersOf(chart, 'clicks', 'height');
      expect(heights.map((height) => height > 0)).toEqual(counts.map((count) => count > 0));
      expect(Math.max(...heights)).toBeLessThanOrEqual(200);
      const ends = numbersOf(chart, 'clicks', 'x').map(
        (x, index) => x + (numbersOf(chart, 'clicks', 'width')[index] ?? 0),
      );
      expect(Math.max(...ends)).toBeLessThanOrEqual(100.01);
      expect(chart).not.toMatch(/NaN|Infinity/);
    }),
    { numRuns: 30 },
  );
});
