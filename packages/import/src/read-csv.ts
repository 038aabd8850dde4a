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
 * part of them. A quote within a cell that does not begin with one is text: `12" pipe`. Throws FileError
 * for a file that has no valid syntax. In the output of `mysql --batch`, quotes have no meaning, and cells
 * have escapes such as `\t`.
 */
export async function* readCsv(
  text: AsyncIterable<string> | Iterable<string>,
  delimiter: string,
  { isMysqlBatch = false } = {},
): AsyncGenerator<CsvRow> {
  const split = isMysqlBatch ? splitMysqlBatch : splitterOf(delimiter);
  const fail = (reason: string) => new FileError(`line ${line}: ${reason}`, 'correct the row');
  const complete = completeLine(delimiter);
  // The line on which the row begins, and the lines of the row so far.
  let line = 1;
  let lines = 0;
  // The lines of the row so far, and whether a quote is open at their end.
  let raw = '';
  let isOpen = false;
  // What was read of the line after them.
  let rest = '';
  const add = (content: string) => {
    rest += content;
    if (raw.length + rest.length > maxRowLength) throw fail(unclosed);
  };
  function* endLine(end: string): Generator<CsvRow> {
    lines++;
    if (!isMysqlBatch && rest.includes('"')) isOpen = !complete.test((isOpen ? '"' : '') + rest);
    raw += rest;
    rest = '';
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

/** Returns the patterns of a delimiter, and of the blanks around a cell. */
function patternsOf(delimiter: string) {
  const mark = `\\u{${delimiter.codePointAt(0)?.toString(16)}}`;
  return { mark, blanks: `(?:(?!${mark})\\s)*` };
}

/** Returns a pattern of lines at whose end no quote is open. A quote within a cell opens none. */
function completeLine(delimiter: string): RegExp {
  const { mark, blanks } = patternsOf(delimiter);
  const quoted = `${blanks}"[^"]*(?:""[^"]*)*"(?!")[^${mark}]*`;
  const cell = `(?:${quoted}|(?!${blanks}")[^${mark}]*)`;
  return new RegExp(`^${cell}(?:${mark}${cell})*$`, 'u');
}

/** Returns a function that splits a row into its cells, or returns what is wrong with it. */
function splitterOf(delimiter: string): (row: string) => string[] | string {
  const { mark, blanks } = patternsOf(delimiter);
  const quoted = `"([^"]*(?:""[^"]*)*)"${blanks}`;
  // Without a blank at its start: blanks then match in one way only, in linear time.
  const plain = `((?:(?!${mark})[^"\\s][^${mark}]*)?)`;
  const pattern = new RegExp(`${blanks}(?:${quoted}|${plain})(${mark}|$)`, 'uy');
  return (row) => {
    const cells: string[] = [];
    pattern.lastIndex = 0;
    for (;;) {
      const found = pattern.exec(row);
      if (!found) return 'text follows a closing quote';
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
