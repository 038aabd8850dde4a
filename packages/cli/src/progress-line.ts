import type { Context } from './context.js';
import { isRichTerminal } from './io.js';

const refreshMs = 100;

/** A progress line on stderr, updated in place. Prints nothing when stderr is not a terminal. */
export class ProgressLine {
  readonly #context: Context;
  readonly #isShown: boolean;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(context: Context) {
    const { io, output } = context;
    this.#context = context;
    // Rows printed to the same terminal already show the progress.
    const showsRows = output.format !== 'table' && io.stdout.isTTY === true;
    this.#isShown = !output.isQuiet && !showsRows && isRichTerminal(io.stderr, io.env);
  }

  show(text: string): void {
    const now = this.#context.io.now();
    if (!this.#isShown || now - this.#lastAt < refreshMs) return;
    this.#lastAt = now;
    this.#context.io.stderr.write(`\r\u001b[2K${text}`);
  }

  /** Prints a permanent line above the progress line. */
  log(text: string): void {
    this.clear();
    this.#context.output.warn(text);
  }

  clear(): void {
    if (this.#isShown) this.#context.io.stderr.write('\r\u001b[2K');
  }
}
