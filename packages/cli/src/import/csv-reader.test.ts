import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CsvReader, type CsvRecord, OverlongLineError } from './csv-reader.js';

/** Reads text that arrives in pieces. */
function read(pieces: readonly string[], delimiter = ','): CsvRecord[] {
  const reader = new CsvReader(delimiter);
  return [...pieces.flatMap((piece) => [...reader.push(piece)]), ...reader.finish()];
}

function cellsOf(text: string, delimiter = ','): (readonly string[])[] {
  return read([text], delimiter).map(({ cells }) => cells);
}

// Characters that CSV is about, and others.
const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\n', '\r', ' ', 'é', '🎈', "'") }),
  fc.string({ unit: 'binary' }),
);
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width })));
const delimiter = fc.constantFrom(',', ';', '\t');
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');

function isBlank(row: readonly string[]): boolean {
  return row.every((value) => value.trim() === '');
}

/** Cuts text into pieces at the given places. */
function cut(text: string, places: readonly number[]): string[] {
  const sorted = places.map((place) => place % (text.length + 1)).sort((a, b) => a - b);
  return [...sorted, text.length].map((place, i) => text.slice(sorted[i - 1] ?? 0, place));
}

describe('any table of csv-stringify', () => {
  const written = fc.record({ table, delimiter, lineEnd, cuts: fc.array(fc.nat()) });

  test('reads back unchanged with any chunk boundaries', () => {
    fc.assert(
      fc.property(written, ({ table, delimiter, lineEnd, cuts }) => {
        const text = stringify(table, { delimiter, record_delimiter: lineEnd, quoted: true });
        const records = read(cut(text, cuts), delimiter);
        expect(records.map(({ cells }) => cells)).toEqual(table.filter((row) => !isBlank(row)));
        expect(records.every(({ error }) => error === undefined)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('reads like csv-parse with minimal quotes', () => {
    fc.assert(
      fc.property(written, ({ table, delimiter, cuts }) => {
        // csv-parse trims nothing here, and csv-stringify does not quote blanks.
        const rows = table.map((row) => row.map((value) => value.trim()));
        const text = stringify(rows, { delimiter });
        const known = parse(text, { delimiter, record_delimiter: '\n' });
        const records = read(cut(text, cuts), delimiter);
        fc.pre(!rows.some((row) => row.some((value) => /\r/.test(value))));
        expect(records.map(({ cells }) => cells)).toEqual(
          known.filter((row: string[]) => !isBlank(row)),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('raw rows form the original text, and line numbers are those of the row starts', () => {
    fc.assert(
      fc.property(written, ({ table, delimiter, lineEnd, cuts }) => {
        const rows = table.filter((row) => !isBlank(row));
        const text = stringify(rows, { delimiter, record_delimiter: lineEnd, quoted: true });
        const records = read(cut(text, cuts), delimiter);
        expect(records.map(({ raw }) => raw + lineEnd).join('')).toBe(text);
        let place = 0;
        for (const { raw, line } of records) {
          const before = text.slice(0, place);
          expect(line).toBe(before.split(/\r\n|\r|\n/).length);
          place += raw.length + lineEnd.length;
        }
      }),
    );
  });
});

test('any text is read to its end, in chunks or at once', () => {
  fc.assert(
    fc.property(cell, delimiter, fc.array(fc.nat()), (text, separator, cuts) => {
      expect(read(cut(text, cuts), separator)).toEqual(read([text], separator));
    }),
    { numRuns: 1000 },
  );
});

describe('line ends', () => {
  test.each([
    ['a,b\nc,d\n'],
    ['a,b\r\nc,d\r\n'],
    ['a,b\rc,d\r'],
    ['a,b\r\nc,d'],
    ['a,b\n\n \n,\nc,d\n\n'],
  ])('%j', (text) => {
    expect(cellsOf(text)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  test('mixed line ends are counted like in an editor', () => {
    const records = read(['a\r', '\nb\rc\n"d\r\ne"\rf']);
    expect(records.map(({ line, raw }) => [line, raw])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, '"d\r\ne"'],
      [6, 'f'],
    ]);
  });
});

test('blanks around quotes are ignored, those inside are kept', () => {
  expect(cellsOf(' "a" ,\t" b "\t, c \n')).toEqual([['a', ' b ', ' c ']]);
  expect(cellsOf('"a"\t" b"\n', '\t')).toEqual([['a', ' b']]);
});

test('a quote inside an unquoted cell is an ordinary character', () => {
  expect(cellsOf('5" nail,a"b"c\n')).toEqual([['5" nail', 'a"b"c']]);
});

describe('an unclosed quote fails only its line', () => {
  test.each([
    [
      'never closed',
      'h\n"open,1\nfine,2\n',
      [2, '"open,1', 'an opening quote has no closing quote'],
    ],
    [
      'closed by the next cell that is quoted',
      'h\n"open,1\nfine,"2"\n',
      [2, '"open,1', 'an opening quote has no closing quote'],
    ],
    [
      'text behind the closing quote',
      'h\n"a"b,1\nfine,2\n',
      [2, '"a"b,1', 'text follows a closing quote'],
    ],
  ])('%s', (_, text, [line, raw, error]) => {
    const records = read([text]);
    expect(records[1]).toEqual({ line, raw, cells: [], error });
    expect(records[2]).toMatchObject({ line: 3, cells: ['fine', '2'] });
    expect(records).toHaveLength(3);
  });

  test('also before megabytes of rows', () => {
    const rows = Array.from({ length: 60_000 }, (_, index) => `https://example.com/${index}`);
    const text = `url\n"open\n${rows.join('\n')}\n`;
    const places = Array.from({ length: 30 }, (_, index) => index * 65_536);
    const records = read(cut(text, places));
    expect(records.filter(({ error }) => error !== undefined).map(({ line }) => line)).toEqual([2]);
    expect(records).toHaveLength(60_002);
  });
});

test('a line without an end is rejected at the length limit', () => {
  const reader = new CsvReader(',');
  const piece = 'x'.repeat(1024 * 1024);
  const pushAll = () => {
    for (let i = 0; i < 8; i++) for (const _ of reader.push(piece));
  };
  expect(pushAll).toThrow(OverlongLineError);
});
