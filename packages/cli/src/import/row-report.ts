import type { ImportRow, NotKept } from '@shorty/import';
import { formatCount } from '@shorty/report';
import type { Output } from '../output.js';

export interface RowError {
  readonly line: number;
  readonly index: number;
  readonly error: string;
  readonly code: string;
}

const maxListedErrors = 100;
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

/** Returns `rewrite: Shorty has no …; folderId: …`. */
export function formatNotKept(notKept: readonly NotKept[] = []): string {
  return notKept.map(({ setting, reason }) => `${setting}: ${reason}`).join('; ');
}

/** What an import or its dry run tells about rows: failures, and links that differ from their rows. */
export class ImportedRows {
  /** The first hundred failures. */
  readonly errors: RowError[] = [];
  readonly #failures: RowReport;
  readonly #notes: RowReport;
  readonly #notKept = new Map<string, number>();
  #paused = 0;

  constructor(output: Output, isTerminal: boolean) {
    this.#failures = new RowReport(output, isTerminal);
    this.#notes = new RowReport(output, isTerminal);
  }

  addFailure({ line, index }: ImportRow, error: string, code: string): void {
    this.#failures.add(line, error, code);
    if (this.errors.length < maxListedErrors) this.errors.push({ line, index, error, code });
  }

  addLink({ line, note, notKept = [] }: ImportRow): void {
    if (note !== undefined) {
      this.#paused++;
      this.#notes.add(line, note, 'PAUSED');
    }
    if (notKept.length > 0) this.#notes.add(line, formatNotKept(notKept), 'NOT_KEPT');
    for (const setting of new Set(notKept.map((each) => each.setting))) {
      this.#notKept.set(setting, (this.#notKept.get(setting) ?? 0) + 1);
    }
  }

  /** Prints the reasons on a terminal, and the files that have all rows. */
  finish({ out, failedOut }: { readonly out?: string; readonly failedOut?: string }): void {
    this.#failures.finish(failedOut);
    this.#notes.finish(out);
  }

  /** The links of another shortener that differ from their rows. */
  record(): { readonly paused: number; readonly notKept: Readonly<Record<string, number>> } {
    return { paused: this.#paused, notKept: Object.fromEntries(this.#notKept) };
  }

  lines(): string[] {
    const lines: string[] = [];
    if (this.#paused > 0) {
      const why =
        'an expiry that has passed, a limit of clicks that is used up, or a password that the file does not contain';
      lines.push(`paused: ${formatCount(this.#paused, 'link')} with ${why}`);
    }
    const counts = [...this.#notKept].map(
      ([name, count]) => `${name} of ${formatCount(count, 'link')}`,
    );
    if (counts.length > 0) lines.push(`not kept: ${counts.join(', ')}`);
    return lines;
  }
}
