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
 * part of them. Throws FileError for a file that has no valid syntax.
 */
export async function* readCsv(
  text: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<CsvRow> {
  const reader = new RowReader(delimiter);
  for await (const part of text) yield* reader.read(part, false);
  yield* reader.read('', true);
}

/** The end of a row, and the start of the next one. */
interface ParsedRow {
  readonly cells: readonly string[];
  readonly end: number;
  readonly next: number;
}

/** Splits text that comes in parts into rows. */
class RowReader {
  readonly #delimiter: string;
  readonly #blanks: RegExp;
  readonly #cell: RegExp;
  #line = 1;
  /** The text from the start of the first row that is not complete. */
  #text = '';
  #isStarted = false;

  constructor(delimiter: string) {
    const escaped = `\\u{${delimiter.codePointAt(0)?.toString(16)}}`;
    this.#delimiter = delimiter;
    this.#blanks = new RegExp(`(?:(?!${escaped})[^\\S\\r\\n])*`, 'uy');
    this.#cell = new RegExp(`(?:(?!${escaped})[^\\r\\n])*`, 'uy');
  }

  *read(part: string, isLast: boolean): Generator<CsvRow> {
    const text = this.#text + (this.#isStarted ? part : part.replace(/^\ufeff/, ''));
    this.#isStarted ||= part !== '';
    let start = 0;
    while (start < text.length) {
      const row = this.#parse(text, start, isLast);
      if ((row?.end ?? text.length) - start > maxRowLength) throw this.#error(unclosed);
      if (!row) break;
      const raw = text.slice(start, row.end);
      if (row.cells.some((cell) => cell.trim() !== '')) {
        yield { line: this.#line, raw, cells: row.cells };
      }
      this.#line += 1 + (raw.match(/\r\n|\n|\r/g)?.length ?? 0);
      start = row.next;
    }
    this.#text = text.slice(start);
  }

  /** Returns undefined for a row whose end is not in the text yet. */
  #parse(text: string, start: number, isLast: boolean): ParsedRow | undefined {
    const cells: string[] = [];
    let at = start;
    for (;;) {
      at += match(this.#blanks, text, at).length;
      if (text[at] === '"') {
        const closing = closingQuote(text, at + 1);
        if (closing === undefined || (closing === text.length - 1 && !isLast)) {
          if (isLast) throw this.#error(unclosed);
          return undefined;
        }
        cells.push(text.slice(at + 1, closing).replaceAll('""', '"'));
        at = closing + 1;
        at += match(this.#blanks, text, at).length;
      } else {
        const cell = match(this.#cell, text, at);
        if (cell.includes('"')) throw this.#error('a cell with a quote does not begin with one');
        cells.push(cell.trimEnd());
        at += cell.length;
      }
      const mark = text[at];
      // Another part may continue the cell, or a line end of two characters.
      if (!isLast && (mark === undefined || (mark === '\r' && at + 1 === text.length))) {
        return undefined;
      }
      if (mark === undefined) return { cells, end: at, next: at };
      if (mark === '\r' || mark === '\n') {
        return { cells, end: at, next: at + (text.startsWith('\r\n', at) ? 2 : 1) };
      }
      if (mark !== this.#delimiter) throw this.#error('text follows a closing quote');
      at += 1;
    }
  }

  #error(reason: string): FileError {
    return new FileError(`line ${this.#line}: ${reason}`, 'correct the row');
  }
}

const unclosed = 'an opening quote has no closing quote, or the row is longer than 1 MB';

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Returns the place of the quote that closes a cell: one that no other quote follows. */
function closingQuote(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return undefined;
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
