import { stripVTControlCharacters } from 'node:util';
import type { Context } from './context.js';
import { isRichTerminal, terminalColumns } from './io.js';
import { cutText, displayWidth } from './text-width.js';

const refreshMs = 100;

/** Returns lines of at most `width` columns. They may contain colors. */
type Render = (width: number) => readonly string[];

/**
 * Lines on stderr that are updated in place, below the lines that are printed meanwhile. They fit the
 * terminal, also after it is resized, and continue after Ctrl-Z. Prints nothing when stderr is not a
 * terminal.
 */
export class LiveLines {
  readonly isShown: boolean;
  readonly #context: Context;
  #render: Render | undefined;
  /** The widths of the lines on the terminal. */
  #drawn: number[] = [];
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(context: Context) {
    const { io, output } = context;
    this.#context = context;
    // Rows printed to the same terminal already show the progress.
    const printsRows = output.format === 'ndjson' || output.format === 'csv';
    const showsRows = printsRows && io.stdout.isTTY === true;
    this.isShown = !output.isQuiet && !showsRows && isRichTerminal(io.stderr, io.env);
  }

  /** Replaces the lines. Draws them at most ten times a second. */
  show(render: Render): void {
    if (!this.isShown) return;
    if (!this.#render) this.#listen();
    this.#render = render;
    const now = this.#context.io.now();
    if (now - this.#lastAt < refreshMs) return;
    this.#lastAt = now;
    this.#draw();
  }

  /** Prints a permanent line above the lines. */
  log(text: string): void {
    this.#erase();
    this.#context.output.warn(text);
    this.#draw();
  }

  /** Removes the lines. */
  clear(): void {
    this.#erase();
    if (!this.#render) return;
    this.#render = undefined;
    this.#context.io.stderr.off('resize', this.#draw);
    process.off('SIGCONT', this.#redraw);
  }

  #listen(): void {
    this.#context.io.stderr.on('resize', this.#draw);
    process.on('SIGCONT', this.#redraw);
  }

  readonly #draw = (): void => {
    if (!this.#render) return;
    const width = this.#columns - 1;
    const lines = this.#render(width).map((line) => fitLine(line, width));
    this.#erase();
    this.#context.io.stderr.write(lines.join('\n'));
    this.#drawn = lines.map((line) => displayWidth(stripVTControlCharacters(line)));
  };

  // After Ctrl-Z, the shell has printed lines, and the cursor is below them. Shells may send the
  // signal twice.
  readonly #redraw = (): void => {
    this.#drawn = [0];
    this.#draw();
  };

  #erase(): void {
    if (this.#drawn.length === 0) return;
    // A terminal that became narrower has wrapped the lines.
    const rows = this.#drawn.reduce(
      (sum, width) => sum + Math.max(1, Math.ceil(width / this.#columns)),
      0,
    );
    const up = rows > 1 ? `\u001b[${rows - 1}A` : '';
    this.#context.io.stderr.write(`\r${up}\u001b[J`);
    this.#drawn = [];
  }

  get #columns(): number {
    return Math.max(2, terminalColumns(this.#context.io.stderr));
  }
}

/** Shortens a line that is too wide, and then removes its colors. */
function fitLine(line: string, width: number): string {
  const plain = stripVTControlCharacters(line);
  return displayWidth(plain) <= width ? line : cutText(plain, width);
}
