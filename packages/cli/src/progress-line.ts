import type { Context } from './context.js';
import { isRichTerminal } from './io.js';

const refreshMs = 100;

/** One line on stderr that is written anew as work goes on; nothing off a terminal. */
export class ProgressLine {
  readonly #context: Context;
  readonly #isShown: boolean;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(context: Context) {
    const { io, output } = context;
    this.#context = context;
    // Rows that scroll by on the same terminal are progress enough.
    const isBusy = output.format !== 'table' && io.stdout.isTTY === true;
    this.#isShown = !output.isQuiet && !isBusy && isRichTerminal(io.stderr, io.env);
  }

  show(text: string): void {
    const now = this.#context.io.now();
    if (!this.#isShown || now - this.#lastAt < refreshMs) return;
    this.#lastAt = now;
    this.#context.io.stderr.write(`\r\u001b[2K${text}`);
  }

  /** A line that stays. */
  tell(text: string): void {
    this.clear();
    this.#context.output.warn(text);
  }

  clear(): void {
    if (this.#isShown) this.#context.io.stderr.write('\r\u001b[2K');
  }
}
