import { UsageError } from './cli-error.js';
import { formatCsvLine } from './csv-line.js';
import { printable } from './format.js';
import { guardFormula } from './import/cell-values.js';
import { type Io, isRichTerminal, type OutputStream } from './io.js';

export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** A column of a table or a CSV file. */
export interface Column<T> {
  readonly name: string;
  readonly value: (item: T) => unknown;
}

export interface OutputOptions {
  readonly format: OutputFormat;
  readonly isQuiet: boolean;
  /** False with `--no-color` or NO_COLOR. Colors also require a terminal. */
  readonly allowsColor: boolean;
}

/** Writes data to stdout in the requested format, and everything else to stderr. */
export class Output {
  readonly format: OutputFormat;
  readonly isQuiet: boolean;
  readonly allowsColor: boolean;
  /** True when stdout supports colors and the user allows them. */
  readonly hasColor: boolean;
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  #isClosed = false;

  constructor(io: Pick<Io, 'stdout' | 'stderr' | 'env'>, options: OutputOptions) {
    this.format = options.format;
    this.isQuiet = options.isQuiet;
    this.allowsColor = options.allowsColor;
    this.hasColor = options.allowsColor && isRichTerminal(io.stdout, io.env);
    this.#stdout = io.stdout;
    this.#stderr = io.stderr;
    // A closed pipe, as with `| head`, is not an error.
    this.#stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      this.#isClosed = true;
    });
  }

  /** True after the reader of stdout closed the pipe. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Writes to stdout. Waits for `drain` when the buffer is full. */
  async write(text: string): Promise<void> {
    if (this.#isClosed || text === '') return;
    if (this.#stdout.write(text)) return;
    await new Promise<void>((resolve) => {
      const proceed = () => {
        this.#stdout.off('drain', proceed).off('error', proceed).off('close', proceed);
        resolve();
      };
      this.#stdout.once('drain', proceed).once('error', proceed).once('close', proceed);
    });
  }

  /** Prints information to stderr, except with `--quiet`. */
  note(text: string): void {
    if (!this.isQuiet) this.warn(text);
  }

  /** Prints a warning to stderr, also with `--quiet`. */
  warn(text: string): void {
    this.#stderr.write(`${text}\n`);
  }

  /** Prints one item. In a table, the names take at least `minLabelWidth` characters. */
  async record<T extends object>(item: T, minLabelWidth = 0): Promise<void> {
    const entries = Object.entries(item);
    if (this.format === 'json') return this.write(`${JSON.stringify(item, null, 2)}\n`);
    if (this.format === 'ndjson') return this.write(`${JSON.stringify(item)}\n`);
    if (this.format === 'csv') {
      const names = entries.map(([name]) => name);
      const cells = entries.map(([, value]) => guardFormula(formatCell(value)));
      return this.write(`${formatCsvLine(names)}\n${formatCsvLine(cells)}\n`);
    }
    const width = Math.max(minLabelWidth, ...entries.map(([name]) => name.length));
    const lines = entries.map(
      ([name, value]) => `${this.#dim(name.padEnd(width))}  ${printable(formatCell(value))}`,
    );
    return this.write(`${lines.join('\n')}\n`);
  }

  /** Prints rows page by page. The JSON format is `head` with the rows as `items`. */
  async list<T extends object>(
    pages: AsyncIterable<readonly T[]>,
    columns: readonly Column<T>[],
    head: object = {},
  ): Promise<void> {
    if (this.format === 'json') return this.#jsonList(pages, head);
    if (this.format === 'csv') {
      await this.write(`${formatCsvLine(columns.map((column) => column.name))}\n`);
    }
    let widths: number[] | undefined;
    for await (const page of pages) {
      if (this.#isClosed) return;
      if (this.format === 'ndjson') {
        await this.write(page.map((item) => `${JSON.stringify(item)}\n`).join(''));
      } else if (this.format === 'csv') {
        await this.write(page.map((item) => `${csvRow(item, columns)}\n`).join(''));
      } else if (page.length > 0) {
        const rows = page.map((item) =>
          columns.map(({ value }) => printable(formatCell(value(item)))),
        );
        if (!widths) {
          const titles = columns.map((column) => column.name);
          widths = titles.map((_, i) =>
            Math.max(...[titles, ...rows].map((r) => r[i]?.length ?? 0)),
          );
          await this.write(`${this.#dim(alignRow(titles, widths))}\n`);
        }
        const set = widths;
        await this.write(rows.map((row) => `${alignRow(row, set)}\n`).join(''));
      }
    }
    if (this.format === 'table' && !widths) this.note('nothing found');
  }

  async #jsonList<T extends object>(
    pages: AsyncIterable<readonly T[]>,
    head: object,
  ): Promise<void> {
    const opening = JSON.stringify(head).slice(0, -1);
    await this.write(`${opening}${opening === '{' ? '' : ','}"items":[`);
    let separator = '\n';
    for await (const page of pages) {
      if (this.#isClosed) return;
      for (const item of page) {
        await this.write(`${separator}${JSON.stringify(item)}`);
        separator = ',\n';
      }
    }
    await this.write('\n]}\n');
  }

  #dim(text: string): string {
    return this.hasColor ? `\u001b[2m${text}\u001b[22m` : text;
  }
}

export interface FormatFlags {
  readonly json?: boolean | undefined;
  readonly output?: string | undefined;
}

/** Returns the requested format, by default the first of `formats`. */
export function resolveFormat<Format extends string>(
  { json, output }: FormatFlags,
  formats: readonly [Format, ...(Format | 'json')[]],
): Format | 'json' {
  if (json && output !== undefined && output !== 'json') {
    throw new UsageError(`--json and --output ${output} cannot be used together`);
  }
  if (json) return 'json';
  const [defaultFormat] = formats;
  const format = formats.find((known) => known === (output ?? defaultFormat));
  if (format) return format;
  throw new UsageError(`--output ${output}: unknown format`, `use ${formats.join(', ')}`);
}

/** Returns whether colors are allowed: `--no-color`, and https://no-color.org. */
export function allowsColor(flags: { color?: boolean }, env: Io['env']): boolean {
  return flags.color !== false && !env.NO_COLOR;
}

function csvRow<T>(item: T, columns: readonly Column<T>[]): string {
  return formatCsvLine(columns.map(({ value }) => guardFormula(formatCell(value(item)))));
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(formatCell).join('|');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function alignRow(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, i) => cell.padEnd(widths[i] ?? 0))
    .join('  ')
    .trimEnd();
}
