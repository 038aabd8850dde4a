import { formatNumber, printable } from '../format.js';
import type { Output } from '../output.js';

const shownOnTerminal = 20;
// As the server does.
const maxValueLength = 100;

/**
 * Inserts the value into a message of this command's own checks, as the server does:
 * `customSlug is "a_b": it must consist of …`.
 */
export function withValue(message: string, item: ImportItem | undefined): string {
  const [, field = '', rest = ''] = /^(\w+) (must .*)$/s.exec(message) ?? [];
  const value = field === 'password' ? undefined : item?.[field];
  if (typeof value !== 'string' && typeof value !== 'number') return message;
  const isLong = typeof value === 'string' && value.length > maxValueLength;
  // No half of a surrogate pair remains.
  const shown = isLong
    ? `${value.slice(0, maxValueLength).replace(/[\ud800-\udbff]$/, '')}…`
    : value;
  return `${field} is ${JSON.stringify(shown)}: it ${rest}`;
}

type ImportItem = Readonly<Record<string, unknown>>;

/** Prints failed rows to stderr: the first 20 on a terminal, all of them otherwise. */
export class FailureReport {
  readonly #output: Output;
  readonly #limit: number;
  /** Prints a line. A live view replaces it. */
  #write: (line: string) => void;
  #count = 0;

  constructor(output: Output, isTerminal: boolean) {
    this.#output = output;
    this.#limit = isTerminal ? shownOnTerminal : Number.POSITIVE_INFINITY;
    this.#write = (line) => output.warn(line);
  }

  redirect(write: (line: string) => void): void {
    this.#write = write;
  }

  /** Adds a failure of a line, whose values the message can name. */
  add(line: number, message: string, code: string, item?: ImportItem): void {
    this.#count++;
    if (this.#count > this.#limit) return;
    this.#write(printable(`line ${line}: ${withValue(message, item)} (${code})`));
  }

  /** Prints the number of rows that were not shown. */
  finish(hint: string): void {
    const hidden = this.#count - this.#limit;
    if (hidden > 0) this.#output.warn(`... and ${formatNumber(hidden)} more${hint}`);
  }
}
