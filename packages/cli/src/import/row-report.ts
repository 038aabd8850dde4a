import type { Context } from '../context.js';

const shownOnTerminal = 20;
// Further reasons share a group, so that the memory has a bound.
const maxReasons = 1000;

/** Prints rows to stderr: each one at once, but on a terminal at the end, grouped by their reasons. */
export class RowReport {
  readonly #groups = new Map<string, { count: number; line: number; message: string }>();

  constructor(readonly context: Pick<Context, 'io' | 'output'>) {}

  add(line: number, text: string, code: string): void {
    const message = `${text} (${code})`;
    const { io, output } = this.context;
    if (!io.stderr.isTTY) {
      output.warn(`line ${line}: ${message}`);
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
    const { output } = this.context;
    const groups = [...this.#groups].sort(([, a], [, b]) => b.count - a.count);
    for (const [reason, { count, line, message }] of groups.slice(0, shownOnTerminal)) {
      if (count === 1) output.warn(`line ${line}: ${message}`);
      else output.warn(`${count} rows, the first in line ${line}: ${reason}`);
    }
    const hidden = groups.length - shownOnTerminal;
    if (hidden > 0) output.warn(`... and ${hidden} more reasons`);
    if (file !== undefined && groups.length > 0) {
      output.warn(`each row is in ${file} with its reason`);
    }
  }
}
