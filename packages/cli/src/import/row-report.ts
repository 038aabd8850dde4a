import type { Output } from '../output.js';

const shownOnTerminal = 20;
// Further reasons share a group, so that the memory has a bound.
const maxReasons = 1000;

/** Prints rows to stderr: each one at once, but on a terminal at the end, grouped by their reasons. */
export class RowReport {
  readonly #groups = new Map<string, { count: number; line: number; message: string }>();

  constructor(
    readonly output: Output,
    readonly isTerminal: boolean,
  ) {}

  add(line: number, text: string, code: string): void {
    const message = `${text} (${code})`;
    if (!this.isTerminal) {
      this.output.warn(`line ${line}: ${message}`);
      return;
    }
    // Rows with the same mistake differ in what the message quotes.
    const isFull = this.#groups.size >= maxReasons;
    const reason = isFull ? 'other reasons' : message.replaceAll(/"(?:[^"\\]|\\.)*"/g, '…');
    const group = this.#groups.get(reason);
    if (group) group.count++;
    else this.#groups.set(reason, { count: 1, line, message });
  }

  /** Prints the reasons, most frequent first. `file` has all rows. */
  finish(file?: string): void {
    const groups = [...this.#groups].sort(([, a], [, b]) => b.count - a.count);
    for (const [reason, { count, line, message }] of groups.slice(0, shownOnTerminal)) {
      if (count === 1) this.output.warn(`line ${line}: ${message}`);
      else this.output.warn(`${count} rows, the first in line ${line}: ${reason}`);
    }
    const hidden = groups.length - shownOnTerminal;
    if (hidden > 0) this.output.warn(`... and ${hidden} more reasons`);
    if (file !== undefined && groups.length > 0) {
      this.output.warn(`each row is in ${file} with its reason`);
    }
  }
}
