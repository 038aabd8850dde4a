import { setImmediate } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCsv } from './read-csv.js';
import { FileError } from './text-format.js';

test('a large file is read as its rows are used, not before', async () => {
  const block = 'https://example.com/,Title\n'.repeat(2_500);
  const blocks = 1_500;
  let read = 0;
  async function* file() {
    for (; read < blocks; read++) yield block;
  }
  for await (const { cells } of readCsv(file(), ',')) {
    expect(cells).toEqual(['https://example.com/', 'Title']);
    // While the consumer is busy.
    for (let before = -1; before < read; await setImmediate()) before = read;
    break;
  }
  expect(read).toBeLessThan(2);
});

async function rowsOf(parts: readonly string[], delimiter = ',') {
  const rows = [];
  async function* text() {
    yield* parts;
  }
  for await (const row of readCsv(text(), delimiter)) rows.push(row);
  return rows;
}

// The letters that matter to the syntax, so that random texts hit its corners.
const letter = fc.constantFrom('"', '\r\n', ...'",;\t \n\raé💡\u00a0');

test('any text in any parts has the rows that csv-parse reads, or is refused like there', async () => {
  const texts = fc.array(
    fc.array(letter, { maxLength: 8 }).map((letters) => letters.join('')),
    { maxLength: 4 },
  );
  const delimiters = fc.constantFrom(',', ';', '\t');
  await fc.assert(
    fc.asyncProperty(texts, delimiters, async (some, delimiter) => {
      const parts = [...some, '\n'];
      // It reads a quote and a blank in several ways.
      fc.pre(!/"[^\S\r\n]/.test(parts.join('')));
      const rows = await rowsOf(parts, delimiter).catch((error: unknown) => {
        expect(error).toBeInstanceOf(FileError);
        return undefined;
      });
      const strict = readByCsvParse(parts.join(''), delimiter);
      // Where it refuses a quote, the quote may be text, but not after a closing one.
      const expected = strict ?? (rows && readByCsvParse(parts.join(''), delimiter, true));
      expect(rows?.map(({ cells }) => cells)).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

function readByCsvParse(text: string, delimiter: string, relax_quotes = false) {
  try {
    return parse(text, {
      delimiter,
      relax_quotes,
      bom: true,
      trim: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    }) as string[][];
  } catch {
    return undefined;
  }
}

test('an error has the line on which its row begins', async () => {
  expect(await rowsOf(['"a\n""b""",c\r\n', '\n', 'd'])).toEqual([
    { line: 1, raw: '"a\n""b""",c', cells: ['a\n"b"', 'c'] },
    { line: 4, raw: 'd', cells: ['d'] },
  ]);
  expect((await rowsOf([' "a" , b \n']))[0]?.cells).toEqual(['a', 'b']);
  await expect(rowsOf(['a\nb,"c" d\n'])).rejects.toThrow('line 2: text follows a closing quote');
  await expect(rowsOf(['a\n"b'])).rejects.toThrow('line 2: an opening quote has no closing quote');
  const long = ['a\n"', ...Array.from({ length: 20 }, () => 'b\n'.repeat(50_000))];
  await expect(rowsOf(long)).rejects.toThrow('line 2: an opening quote');
});

test('a quote within a cell is text, and does not join lines', async () => {
  const rows = await rowsOf(['12" pipe,a\n7" x 9","b "" "\n"c\n5" , d "e"\n', '"f""g"\n']);
  expect(rows.map(({ line, cells }) => [line, ...cells])).toEqual([
    [1, '12" pipe', 'a'],
    [2, '7" x 9"', 'b " '],
    [3, 'c\n5', 'd "e"'],
    [5, 'f"g'],
  ]);
});

test('a long line is read in linear time, whether it ends or not', async () => {
  const startedAt = performance.now();
  const parts = Array.from({ length: 100 }, () => 'a'.repeat(10_000));
  expect((await rowsOf(parts))[0]?.cells[0]).toHaveLength(1_000_000);
  await expect(rowsOf([...parts, 'a'])).rejects.toThrow('the row is longer than 1 MB');
  const blanks = ' '.repeat(500_000);
  expect((await rowsOf([`${blanks}a"b"`]))[0]?.cells).toEqual(['a"b"']);
  for (const start of [`${blanks}"`, `${'"a",'.repeat(200_000)}"`]) {
    await expect(rowsOf([start])).rejects.toThrow('an opening quote');
  }
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
