import { CliError } from '../cli-error.js';
import { formatNumber } from '../format.js';

/** One row of a CSV file, with its original text. */
export interface CsvRecord {
  /** The number of the physical line on which the row begins, from 1. */
  readonly line: number;
  /** The original text of the row, without its line end. */
  readonly raw: string;
  /** Empty when the row has a syntax error. */
  readonly cells: readonly string[];
  /** The syntax error, if the row cannot be split into cells. */
  readonly error?: string;
}

/** A line exceeds the length limit, which bounds memory. */
export class OverlongLineError extends CliError {
  override readonly name = 'OverlongLineError';

  constructor(line: number) {
    const length = formatNumber(maxLineChars);
    super(`line ${line} is longer than ${length} characters; the file is probably not CSV`, {
      code: 'OVERLONG_LINE',
    });
  }
}

const maxLineChars = 4 * 1024 * 1024;
const maxQuotedChars = 1024 * 1024;

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const tab = 0x09;

const openQuote = 'an opening quote has no closing quote';
const textAfterQuote = 'text follows a closing quote';

/**
 * Splits CSV text (RFC 4180) into rows as it arrives. Beyond the RFC: any one-character delimiter,
 * LF, CRLF and lone CR mixed, spaces around quotes.
 *
 * An import needs three features that csv-parse does not combine: the line number and the original
 * text of each row, bounded memory when a quote is not closed, and recovery after such a row. The
 * reader rejects only the line with the unclosed quote and continues at the next line. Property
 * tests compare the reader with csv-parse and csv-stringify.
 */
export class CsvReader {
  readonly #delimiter: number;
  #text = '';
  #line = 1;
  #isLast = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** Returns the rows that `text` completes. The caller must exhaust them before the next push. */
  push(text: string): Generator<CsvRecord> {
    this.#text = this.#text === '' ? text : this.#text + text;
    return this.#drain();
  }

  /** Returns the rows that the end of the file completes. */
  finish(): Generator<CsvRecord> {
    this.#isLast = true;
    return this.#drain();
  }

  // A generator, because arrays of rows would outlive the garbage collector's young generation.
  *#drain(): Generator<CsvRecord> {
    const text = this.#text;
    let start = 0;
    while (start < text.length) {
      const scan = this.#scanRecord(text, start);
      const end = scan.error === undefined ? scan.end : this.#findLineEnd(text, start);
      if (end === undefined) break;
      const next = this.#skipLineEnd(text, end);
      if (next === undefined) break;
      const raw = text.slice(start, end);
      const line = this.#line;
      this.#line += (scan.hasQuotes ? countLineBreaks(raw) : 0) + 1;
      start = next;
      if (scan.error !== undefined) yield { line, raw, cells: [], error: scan.error };
      else if (scan.cells.some(isFilled)) yield { line, raw, cells: scan.cells };
    }
    this.#text = text.slice(start);
    if (this.#text.length > maxLineChars) throw new OverlongLineError(this.#line);
  }

  /** Scans the row at `start`. `end` is undefined when the row may continue in the next chunk. */
  #scanRecord(text: string, start: number): Scan {
    const scan: Scan = { cells: [], end: undefined, error: undefined, hasQuotes: false };
    let position = start;
    for (;;) {
      const content = this.#skipBlanks(text, position);
      let end: number;
      if (text.charCodeAt(content) === quote) {
        scan.hasQuotes = true;
        const closed = this.#scanQuoted(text, content + 1, scan, start);
        if (closed === undefined) return scan;
        end = closed;
      } else {
        end = position;
        while (end < text.length) {
          const char = text.charCodeAt(end);
          if (char === this.#delimiter || char === lineFeed || char === carriageReturn) break;
          end++;
        }
        scan.cells.push(text.slice(position, end));
      }
      if (end < text.length && text.charCodeAt(end) === this.#delimiter) {
        position = end + 1;
        continue;
      }
      if (end < text.length || this.#isLast) scan.end = end;
      return scan;
    }
  }

  /** Reads a quoted cell. Returns the position after it, or undefined when it is invalid or incomplete. */
  #scanQuoted(text: string, from: number, scan: Scan, start: number): number | undefined {
    let value = '';
    let position = from;
    for (;;) {
      const found = text.indexOf('"', position);
      if (found === -1) {
        if (this.#isLast || text.length - start > maxQuotedChars) scan.error = openQuote;
        return undefined;
      }
      value += text.slice(position, found);
      if (text.charCodeAt(found + 1) !== quote) {
        position = found + 1;
        break;
      }
      value += '"';
      position = found + 2;
    }
    if (position >= text.length && !this.#isLast) return undefined;
    const end = this.#skipBlanks(text, position);
    if (end < text.length) {
      const char = text.charCodeAt(end);
      if (char !== this.#delimiter && char !== lineFeed && char !== carriageReturn) {
        // A quote on a later line is probably the opening quote of another cell.
        const isSameLine = countLineBreaks(text.slice(start, end)) === 0;
        scan.error = isSameLine ? textAfterQuote : openQuote;
        return undefined;
      }
    }
    scan.cells.push(value);
    return end;
  }

  #skipBlanks(text: string, from: number): number {
    let position = from;
    for (;;) {
      const char = text.charCodeAt(position);
      if ((char !== space && char !== tab) || char === this.#delimiter) return position;
      position++;
    }
  }

  #findLineEnd(text: string, from: number): number | undefined {
    for (let position = from; position < text.length; position++) {
      const char = text.charCodeAt(position);
      if (char === lineFeed || char === carriageReturn) return position;
    }
    return this.#isLast ? text.length : undefined;
  }

  #skipLineEnd(text: string, end: number): number | undefined {
    if (text.charCodeAt(end) !== carriageReturn) return Math.min(end + 1, text.length);
    if (end + 1 === text.length && !this.#isLast) return undefined;
    return text.charCodeAt(end + 1) === lineFeed ? end + 2 : end + 1;
  }
}

interface Scan {
  readonly cells: string[];
  end: number | undefined;
  error: string | undefined;
  hasQuotes: boolean;
}

function isFilled(cell: string): boolean {
  return cell !== '' && cell.trim() !== '';
}

function countLineBreaks(text: string): number {
  let breaks = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === lineFeed || (char === carriageReturn && text.charCodeAt(i + 1) !== lineFeed)) {
      breaks++;
    }
  }
  return breaks;
}
