import { CliError } from '../cli-error.js';
import { formatNumber } from '../format.js';

/** One row of a CSV file, with what it takes to give it back exactly as it stood. */
export interface CsvRecord {
  /** The physical line that the row begins on, from 1. */
  readonly line: number;
  /** The row's text without its line end. */
  readonly raw: string;
  /** Empty when the row is broken. */
  readonly cells: readonly string[];
  /** Why the row cannot be split into cells. */
  readonly fault?: string;
}

/** A line that is longer than anything worth keeping in memory. */
export class OverlongLineError extends CliError {
  override readonly name = 'OverlongLineError';

  constructor(line: number) {
    const length = formatNumber(maxLineChars);
    super(`line ${line} is longer than ${length} characters: this is no CSV file of links`, {
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

const openQuote = 'a quote opens here and is never closed';
const textAfterQuote = 'there is text after a closing quote';

/**
 * Splits CSV text (RFC 4180) into rows as it arrives. Beyond the RFC: any one-character delimiter,
 * LF, CRLF and lone CR mixed, spaces around quotes.
 *
 * Written by hand because an import needs three things at once that csv-parse does not give: the
 * physical line and the verbatim text of each row, bounded memory when a quote is never closed, and
 * a way on behind such a row. Only the line with the broken quote is given up; reading goes on at
 * the next line. The property tests hold it against csv-parse and csv-stringify.
 */
export class CsvReader {
  readonly #delimiter: number;
  #text = '';
  #line = 1;
  #isLast = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** The rows that this piece of text completes; to be read to the end before the next piece. */
  push(text: string): Generator<CsvRecord> {
    this.#text = this.#text === '' ? text : this.#text + text;
    return this.#drain();
  }

  /** The rows that the end of the text completes. */
  finish(): Generator<CsvRecord> {
    this.#isLast = true;
    return this.#drain();
  }

  // Row by row on demand: whole batches would outlive the garbage collector's young generation.
  *#drain(): Generator<CsvRecord> {
    const text = this.#text;
    let start = 0;
    while (start < text.length) {
      const scan = this.#scanRecord(text, start);
      const end = scan.fault === undefined ? scan.end : this.#findLineEnd(text, start);
      if (end === undefined) break;
      const next = this.#skipLineEnd(text, end);
      if (next === undefined) break;
      const raw = text.slice(start, end);
      const line = this.#line;
      this.#line += (scan.hasQuotes ? countLineBreaks(raw) : 0) + 1;
      start = next;
      if (scan.fault !== undefined) yield { line, raw, cells: [], fault: scan.fault };
      else if (scan.cells.some(isFilled)) yield { line, raw, cells: scan.cells };
    }
    this.#text = text.slice(start);
    if (this.#text.length > maxLineChars) throw new OverlongLineError(this.#line);
  }

  /** The cells from `start` on; `end` stays undefined while the row may go on in text to come. */
  #scanRecord(text: string, start: number): Scan {
    const scan: Scan = { cells: [], end: undefined, fault: undefined, hasQuotes: false };
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

  /** Reads a quoted cell; the position behind it, or undefined when it is broken or unfinished. */
  #scanQuoted(text: string, from: number, scan: Scan, start: number): number | undefined {
    let value = '';
    let position = from;
    for (;;) {
      const found = text.indexOf('"', position);
      if (found === -1) {
        if (this.#isLast || text.length - start > maxQuotedChars) scan.fault = openQuote;
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
        // On a later line it is most likely the opening quote of another cell.
        const isSameLine = countLineBreaks(text.slice(start, end)) === 0;
        scan.fault = isSameLine ? textAfterQuote : openQuote;
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
  fault: string | undefined;
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
