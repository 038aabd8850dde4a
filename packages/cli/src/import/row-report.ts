import type { ImportRow, NotKept } from '@shorty/import';
import { formatCount } from '@shorty/report';
import type { Output } from '../output.js';
import { FailureReport } from './failure-report.js';

export interface RowError {
  readonly line: number;
  readonly index: number;
  readonly error: string;
  readonly code: string;
}

const maxListedErrors = 100;

/** Returns `rewrite: Shorty has no …; folderId: …`. */
export function formatNotKept(notKept: readonly NotKept[]): string {
  return notKept.map(({ setting, reason }) => `${setting}: ${reason}`).join('; ');
}

/** What an import or its dry run tells about rows: failures, and links that differ from their rows. */
export class RowReport {
  /** The first hundred failures. */
  readonly errors: RowError[] = [];
  readonly #failures: FailureReport;
  readonly #notes: FailureReport;
  readonly #notKept = new Map<string, number>();
  #paused = 0;

  constructor(output: Output, isTerminal: boolean) {
    this.#failures = new FailureReport(output, isTerminal);
    this.#notes = new FailureReport(output, isTerminal);
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
      lines.push(
        `paused: ${formatCount(this.#paused, 'link')} with an expiry that has passed, a limit of clicks that is used up, or a password that the file does not contain`,
      );
    }
    const counts = [...this.#notKept].map(
      ([name, count]) => `${name} of ${formatCount(count, 'link')}`,
    );
    if (counts.length > 0) lines.push(`not kept: ${counts.join(', ')}`);
    return lines;
  }
}
