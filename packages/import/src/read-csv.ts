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
  const { cell, openCell } = patternsOf(delimiter, isMysqlBatch);
  const fail = (reason: string) => new FileError(`line ${line}: ${reason}`, 'correct the row');
  /** The line on which the next row begins. */
  let line = 1;
  /** What was read of the next row, and of those after it. */
  let rest = '';
  /** The length from which on the rest is read again, so that a long row takes linear time. */
  let leastLength = 0;
  /** Takes the rows that have ended from the rest. */
  function* takeRows(isEnd: boolean): Generator<CsvRow> {
    if (!isEnd && rest.length < leastLength) return;
    let start = 0;
    let cells: string[] = [];
    cell.lastIndex = 0;
    while (start < rest.length) {
      openCell.lastIndex = cell.lastIndex;
      const found = cell.exec(rest);
      const isOpen = !found && openCell.test(rest);
      // What follows can belong to the cell, or to its line end.
      if (!isEnd && (isOpen || cell.lastIndex === rest.length)) break;
      if (!found) throw fail(isOpen ? unclosed : 'text follows a closing quote');
      const [, quoted, plain = '', end = ''] = found;
      const value = quoted?.replaceAll('""', '"') ?? plain.trimEnd();
      cells.push(isMysqlBatch ? unescapeMysql(value) : value);
      if (end === delimiter) continue;
      const raw = rest.slice(start, cell.lastIndex - end.length);
      if (raw.length > maxRowLength) throw fail(unclosed);
      if (cells.some((each) => each.trim() !== '')) yield { line, raw, cells };
      cells = [];
      line += raw.split(lineEnd).length;
      start = cell.lastIndex;
    }
    leastLength = start === 0 ? 2 * rest.length : 0;
    rest = rest.slice(start);
    if (rest.length > maxRowLength) throw fail(unclosed);
  }
  for await (const part of text) {
    rest += part;
    yield* takeRows(false);
  }
  yield* takeRows(true);
}

const unclosed = 'an opening quote has no closing quote, or the row is longer than 1 MB';
const lineEnd = /\r\n?|\n/;

/** Returns the pattern of a cell with what ends it, and that of a cell whose quote is open at the end. */
function patternsOf(delimiter: string, isMysqlBatch: boolean) {
  const mark = `\\u{${delimiter.codePointAt(0)?.toString(16)}}`;
  const blanks = `(?:(?!${mark})[^\\S\\r\\n])*`;
  // An empty class matches nothing.
  const quote = isMysqlBatch ? '[]' : '"';
  const quoted = `${quote}([^"]*(?:""[^"]*)*)`;
  // Without a blank at its start: blanks then match in one way only, in linear time.
  const plain = `((?:(?!${mark}|${quote})\\S[^${mark}\\r\\n]*)?)`;
  const end = `(${mark}|${lineEnd.source}|$)`;
  return {
    cell: new RegExp(`${blanks}(?:${quoted}"${blanks}|${plain})${end}`, 'uy'),
    openCell: new RegExp(`${blanks}${quoted}$`, 'uy'),
  };
}

const mysqlEscapes: Readonly<Record<string, string>> = { t: '\t', n: '\n' };

function unescapeMysql(cell: string): string {
  return cell.replaceAll(/\\(.)/gs, (_, letter) => mysqlEscapes[letter] ?? letter);
}

/**
 * Returns the delimiter of a file from its first lines: the one that splits the header into the most
 * known columns, else the most frequent one. `sep=;`, which Excel writes, is none of the header.
 */
export function detectDelimiter(start: string, isKnown: (title: string) => boolean): string {
  const header = start.trimStart().split(lineEnd, 1)[0] ?? '';
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
