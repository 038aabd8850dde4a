import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layOutTable, tableLine } from './table.js';
import { displayWidth } from './text-width.js';

const columns = [
  { title: 'id', isShortened: false },
  { title: 'shortUrl', isShortened: false },
  { title: 'title', isShortened: true },
  { title: 'targetUrl', isShortened: true },
];
const rows = [
  ['7', 'https://sho.example/a', '東京タワー '.repeat(9), 'https://example.com/?q=1&long=yes'],
  ['1234', 'https://sho.example/spring', '👩‍👩‍👧 family', `https://example.com/${'x'.repeat(90)}`],
  ['12', 'https://sho.example/zu', 'Zu\u0308rich', ''],
];

function show(width: number | undefined): string[] {
  const layout = layOutTable(columns, rows, width);
  return [columns.map(({ title }) => title), ...rows].map((row) => tableLine(layout, row));
}

test.each([40, 60, 80, 100, 120, 160, 200])(
  'fits %d columns, and ids and links stay whole',
  (width) => {
    const lines = show(width);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    for (const [index, [id = '', link = '']] of rows.entries()) {
      expect(lines[index + 1]?.startsWith(id)).toBe(true);
      expect(lines[index + 1]).toContain(link);
    }
  },
);

test('columns are aligned by display width', () => {
  const starts = show(100).map((line) => {
    const at = line.search(/https:\/\/example|targetUrl/);
    return at === -1 ? undefined : displayWidth(line.slice(0, at));
  });
  expect(new Set(starts.filter((start) => start !== undefined)).size).toBe(1);
});

test('off a terminal nothing is shortened', () => {
  for (const row of rows) {
    const line = show(undefined).find((each) => each.startsWith(`${row[0]} `)) ?? '';
    for (const cell of row) expect(line).toContain(cell.trim());
  }
});

test('the last columns are left out when they would be too narrow', () => {
  expect(layOutTable(columns, rows, 50).hidden).toEqual(['targetUrl']);
  expect(layOutTable(columns, rows, 40).hidden).toEqual(['title', 'targetUrl']);
});

test('the first ids and links are always shown whole, even if they wrap', () => {
  for (const width of [1, 10, 30]) {
    const layout = layOutTable(columns, rows, width);
    expect(layout.hidden).toEqual(['title', 'targetUrl']);
    expect(rows.map((row) => tableLine(layout, row))).toEqual([
      '7     https://sho.example/a',
      '1234  https://sho.example/spring',
      '12    https://sho.example/zu',
    ]);
  }
});

test('no line is wider than the terminal, unless it has ids and links only', () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(
      fc.array(fc.record({ title: cell, isShortened: fc.boolean() }), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.array(fc.array(cell, { minLength: 6, maxLength: 6 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 200 }),
      (titles, cells, width) => {
        const layout = layOutTable(titles, cells, width);
        if (layout.columns.every(({ index }) => titles[index]?.isShortened === false)) return;
        for (const row of [titles.map(({ title }) => title), ...cells]) {
          expect(displayWidth(tableLine(layout, row))).toBeLessThanOrEqual(width);
        }
      },
    ),
  );
});
