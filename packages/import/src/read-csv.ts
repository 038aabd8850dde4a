import { FileError } from './text-format.js';

/** A row of a file, with its original text. */
export interface CsvRow {
  /** The number of the line on which the row begins, from 1. */
  readonly line: number;
  /** The original text of the row, without its line end. */
  readonly raw: string;
  readonly cells: readonly string[];
}

// A quote that is not closed would otherwise read the rest of the file.
const maxRowLength = 1_000_000;
const delimiters = [',', ';', '\t', '|'];

/**
 * Reads the rows of a CSV file (RFC 4180), and skips those without a value. Blanks around cells are not
 * part of them. Throws FileError for a file that has no valid syntax. In the output of `mysql --batch`,
 * quotes have no meaning, and cells have escapes such as `\t`.
 */
export async function* readCsv(
  text: AsyncIterable<string>,
  delimiter: string,
  { isMysqlBatch = false } = {},
): AsyncGenerator<CsvRow> {
  const split = isMysqlBatch ? splitMysqlBatch : splitterOf(delimiter);
  const fail = (reason: string) => new FileError(`line ${line}: ${reason}`, 'correct the row');
  // The line on which the row begins, and the lines of the row so far.
  let line = 1;
  let lines = 0;
  // The row so far, and whether a quote is open at its end: the next line is then a part of it.
  let raw = '';
  let isOpen = false;
  const add = (content: string) => {
    raw += content;
    if (!isMysqlBatch && (content.split('"').length - 1) % 2 === 1) isOpen = !isOpen;
    if (raw.length > maxRowLength) throw fail(unclosed);
  };
  function* endLine(end: string): Generator<CsvRow> {
    lines++;
    if (isOpen) {
      raw += end;
      return;
    }
    const cells = split(raw);
    if (typeof cells === 'string') throw fail(cells);
    if (cells.some((cell) => cell.trim() !== '')) yield { line, raw, cells };
    line += lines;
    lines = 0;
    raw = '';
  }
  // A carriage return at the end of a part may be half of a line end.
  let half = '';
  let isFirst = true;
  for await (const next of text) {
    const part = half + (isFirst ? next.replace(/^\ufeff/, '') : next);
    isFirst &&= next === '';
    let at = 0;
    for (const { 0: end, index } of part.matchAll(/\r\n|\n|\r(?!$)/g)) {
      add(part.slice(at, index));
      yield* endLine(end);
      at = index + end.length;
    }
    half = part.endsWith('\r') ? '\r' : '';
    add(part.slice(at, part.length - half.length));
  }
  yield* endLine(half);
  if (isOpen) throw fail(unclosed);
}

const unclosed = 'an opening quote has no closing quote, or the row is longer than 1 MB';

/** Returns a function that splits a row into its cells, or returns what is wrong with it. */
function splitterOf(delimiter: string): (row: string) => string[] | string {
  const mark = `\\u{${delimiter.codePointAt(0)?.toString(16)}}`;
  const blanks = `(?:(?!${mark})\\s)*`;
  const quoted = `"([^"]*(?:""[^"]*)*)"${blanks}`;
  // Without a blank at its start: blanks then match in one way only, in linear time.
  const plain = `((?:(?!${mark})[^"\\s](?:(?!${mark})[^"])*)?)`;
  const pattern = new RegExp(`${blanks}(?:${quoted}|${plain})(${mark}|$)`, 'uy');
  return (row) => {
    const cells: string[] = [];
    pattern.lastIndex = 0;
    for (;;) {
      const start = pattern.lastIndex;
      const found = pattern.exec(row);
      if (!found) {
        return row.slice(start).trimStart().startsWith('"')
          ? 'text follows a closing quote'
          : 'a cell with a quote does not begin with one';
      }
      const [, quotes, plain = '', end] = found;
      cells.push(quotes?.replaceAll('""', '"') ?? plain.trimEnd());
      if (end === '') return cells;
    }
  };
}

const mysqlEscapes: Readonly<Record<string, string>> = { t: '\t', n: '\n' };

function splitMysqlBatch(row: string): string[] {
  return row
    .split('\t')
    .map((cell) => cell.replaceAll(/\\(.)/gs, (_, letter) => mysqlEscapes[letter] ?? letter));
}

/**
 * Returns the delimiter of a file from its first lines: the one that splits the header into the most
 * known columns, else the most frequent one. `sep=;`, which Excel writes, is none of the header.
 */
export function detectDelimiter(start: string, isKnown: (title: string) => boolean): string {
  const header =
    start
      .replace(/^\ufeff/, '')
      .trimStart()
      .split(/[\r\n]/, 1)[0] ?? '';
  const scores = delimiters.map((delimiter) => {
    const titles = header.split(delimiter).map((title) => title.replace(/^\s*"|"\s*$/g, ''));
    return { delimiter, score: titles.filter(isKnown).length * 1000 + titles.length };
  });
  return scores.reduce((a, b) => (b.score > a.score ? b : a)).delimiter;
}

const names: Readonly<Record<string, string>> = {
  tab: '\t',
  '\\t': '\t',
  comma: ',',
  semicolon: ';',
  pipe: '|',
};

/** Returns the delimiter that a user names. */
export function parseDelimiter(text: string): string {
  const delimiter = names[text.toLowerCase()] ?? text;
  if (delimiter.length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw new FileError(
    `--delimiter ${JSON.stringify(text)} must be one character`,
    'or one of the names tab, comma, semicolon, pipe',
  );
}

export function delimiterName(delimiter: string): string {
  const named = Object.entries(names).find(([, character]) => character === delimiter);
  return named?.[0] ?? JSON.stringify(delimiter);
}
