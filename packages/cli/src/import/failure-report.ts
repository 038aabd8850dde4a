import type { Output } from '../output.js';

const shownOnTerminal = 20;

/** Prints failed rows to stderr: the first 20 on a terminal, all of them otherwise. */
export class FailureReport {
  readonly #limit: number;
  #count = 0;

  constructor(
    readonly output: Output,
    isTerminal: boolean,
    /** Prints a line. A live view prints it above its lines. */
    readonly write = (line: string) => output.warn(line),
  ) {
    this.#limit = isTerminal ? shownOnTerminal : Number.POSITIVE_INFINITY;
  }

  add(line: number, message: string, code: string): void {
    this.#count++;
    if (this.#count <= this.#limit) this.write(`line ${line}: ${message} (${code})`);
  }

  /** Prints the number of rows that were not shown. */
  finish(hint: string): void {
    const hidden = this.#count - this.#limit;
    if (hidden > 0) this.output.warn(`... and ${hidden} more${hint}`);
  }
}
