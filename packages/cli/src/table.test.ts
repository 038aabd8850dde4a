import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from './format.js';
import {
  fitsLayout,
  layOutTable,
  recordLines,
  splitValue,
  type TableLayout,
  tableLine,
} from './table.js';
import { displayWidth } from './text-width.js';

const columns = [
  { title: 'id', isWhole: true, isShortened: false },
  { title: 'shortUrl', isWhole: true, isShortened: false },
  { title: 'title', isWhole: false, isShortened: true },
  { title: 'clickCount', isWhole: false, isShortened: false },
  { title: 'targetUrl', isWhole: false, isShortened: true },
];
const rows = [
  ['7', 'https://sho.example/a', '東京タワー '.repeat(9), '5', 'https://example.com/?q=1&long=yes'],
  [
    ...['1234', 'https://sho.example/spring', '👩‍👩‍👧 family', '1234567'],
    `https://example.com/${'x'.repeat(90)}`,
  ],
  ['12', 'https://sho.example/zu', 'Zu\u0308rich', '', ''],
];

function layOut(width?: number): TableLayout {
  const layout = layOutTable(columns, rows, width);
  if (!layout) throw new Error('the first columns do not fit');
  return layout;
}

function show(width: number | undefined): string[] {
  const layout = layOut(width);
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

test('the last columns are left out, rather than cut to less than their titles', () => {
  expect(layOut(80).hidden).toEqual([]);
  expect(layOut(60).hidden).toEqual(['targetUrl']);
  expect(layOut(50).hidden).toEqual(['clickCount', 'targetUrl']);
  expect(layOut(40).hidden).toEqual(['title', 'clickCount', 'targetUrl']);
});

test('there is no table if the first ids and links do not fit, or an id alone', () => {
  expect(layOutTable(columns, rows, 30)).toBeUndefined();
  const [id, , title] = columns;
  if (!id || !title) throw new Error('no columns');
  expect(layOutTable([id, title], [['x'.repeat(36), 'a title']], 40)).toBeUndefined();
  expect(layOutTable([id], [['x'.repeat(36)]], 40)).toBeDefined();
});

test('a row with a longer id or link needs another layout, one with a longer text does not', () => {
  const layout = layOut(80);
  const [row = []] = rows;
  expect(fitsLayout(layout, columns, row)).toBe(true);
  expect(fitsLayout(layout, columns, ['8', row[1] ?? '', 'x'.repeat(99), '5', ''])).toBe(true);
  expect(fitsLayout(layout, columns, ['8', `${rows[1]?.[1]}x`, 'x', '5', ''])).toBe(false);
});

test('no line is wider than the terminal, and no title, id or number is cut', () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ title: cell.map(printable), isWhole: fc.boolean(), isShortened: fc.boolean() }),
        { minLength: 1, maxLength: 6 },
      ),
      fc.array(fc.array(cell.map(printable), { minLength: 6, maxLength: 6 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 200 }),
      (titles, cells, width) => {
        const given = titles.map((each) => ({
          ...each,
          isShortened: each.isShortened && !each.isWhole,
        }));
        const layout = layOutTable(given, cells, width);
        if (!layout) return;
        for (const row of [given.map(({ title }) => title), ...cells]) {
          expect(displayWidth(tableLine(layout, row))).toBeLessThanOrEqual(width);
        }
        for (const column of layout.columns) {
          const { title = '', isShortened } = given[column.index] ?? {};
          expect(column.width).toBeGreaterThanOrEqual(displayWidth(title));
          if (isShortened) continue;
          for (const row of cells) {
            expect(column.width).toBeGreaterThanOrEqual(displayWidth(row[column.index] ?? ''));
          }
        }
      },
    ),
  );
});

test('a record has its values beside their names, or below them', () => {
  const fields = [
    { name: 'id', pieces: ['0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47'] },
    { name: 'title', pieces: splitValue('', 'a title of several words that continues') },
    { name: 'tags', pieces: splitValue(['spring', 'summer'], 'spring sale|summer') },
    { name: 'none', pieces: splitValue(null, '') },
  ];
  const shape = { styleName: (name: string) => name };
  expect(recordLines(fields, { ...shape, maxWidth: 30 })).toEqual([
    'id',
    '  0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47',
    'title  a title of several',
    '       words that continues',
    'tags   spring sale|summer',
    'none   ',
  ]);
  expect(recordLines(fields, { ...shape, maxWidth: Number.POSITIVE_INFINITY })).toEqual([
    'id     0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47',
    'title  a title of several words that continues',
    'tags   spring sale|summer',
    'none   ',
  ]);
});
