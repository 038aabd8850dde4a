import { formatNumber, printable } from '../format.js';
import type { Output } from '../output.js';

const shownOnTerminal = 20;

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

  add(line: number, message: string, code: string): void {
    this.#count++;
    if (this.#count <= this.#limit) this.#write(printable(`line ${line}: ${message} (${code})`));
  }

  /** Prints the number of rows that were not shown. */
  finish(hint: string): void {
    const hidden = this.#count - this.#limit;
    if (hidden > 0) this.#output.warn(`... and ${formatNumber(hidden)} more${hint}`);
  }
}
