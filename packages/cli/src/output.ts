import { UsageError } from './cli-error.js';
import { formatCsvLine } from './csv-line.js';
import { formatJson, printable } from './format.js';
import { guardFormula } from './import/cell-values.js';
import { nearestName } from './import/nearest-name.js';
import { type Io, isRichTerminal, type OutputStream, terminalColumns } from './io.js';
import { layOutTable, type TableLayout, tableLine } from './table.js';

export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** A column of a table or a CSV file. */
export interface Column<T> {
  readonly name: string;
  readonly value: (item: T) => unknown;
  /** Whether a narrow terminal shows the whole value: an id or a link that users copy. */
  readonly isWhole?: boolean;
}

export interface OutputOptions {
  readonly format: OutputFormat;
  readonly isQuiet: boolean;
  /** False with `--no-color` or NO_COLOR. Colors also require a terminal. */
  readonly allowsColor: boolean;
  /** The fields to print, in this order, with `--fields`. */
  readonly fields?: readonly string[] | undefined;
}

/** Writes data to stdout in the requested format, and everything else to stderr. */
export class Output {
  readonly format: OutputFormat;
  readonly isQuiet: boolean;
  readonly allowsColor: boolean;
  /** True when stdout supports colors and the user allows them. */
  readonly hasColor: boolean;
  /** The fields to print, in this order; undefined for all. */
  readonly fields: readonly string[] | undefined;
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  #isClosed = false;

  constructor(io: Pick<Io, 'stdout' | 'stderr' | 'env'>, options: OutputOptions) {
    this.format = options.format;
    this.isQuiet = options.isQuiet;
    this.allowsColor = options.allowsColor;
    this.hasColor = options.allowsColor && isRichTerminal(io.stdout, io.env);
    this.fields = options.fields;
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

  /** Replaces characters that control the terminal, if stdout is one. */
  printable(text: string): string {
    return this.#stdout.isTTY ? printable(text) : text;
  }

  /** Prints information to stderr, except with `--quiet`. */
  note(text: string): void {
    if (!this.isQuiet) this.warn(text);
  }

  /** Prints a warning to stderr, also with `--quiet`. */
  warn(text: string): void {
    this.#stderr.write(`${text.split('\n').map(printable).join('\n')}\n`);
  }

  /** Prints one item. In a table, the names take at least `minLabelWidth` characters. */
  async record<T extends object>(item: T, minLabelWidth = 0): Promise<void> {
    const selected = this.#select(item);
    const entries = Object.entries(selected);
    if (this.format === 'json') return this.write(`${formatJson(selected, 2)}\n`);
    if (this.format === 'ndjson') return this.write(`${formatJson(selected)}\n`);
    if (this.format === 'csv') {
      const names = entries.map(([name]) => name);
      const cells = entries.map(([, value]) => value);
      return this.write(`${formatCsvLine(names)}\n${this.csvLine(cells)}\n`);
    }
    const width = Math.max(minLabelWidth, ...entries.map(([name]) => name.length));
    const lines = entries.map(
      ([name, value]) => `${this.#dim(name.padEnd(width))}  ${printable(formatCell(value))}`,
    );
    return this.write(`${lines.join('\n')}\n`);
  }

  /**
   * Prints rows page by page. The JSON format is `head` with the rows as `items`. A table fits the
   * terminal: the first page decides the widths of its columns.
   */
  async list<T extends object>(
    pages: AsyncIterable<readonly T[]>,
    allColumns: readonly Column<T>[],
    head: object = {},
  ): Promise<void> {
    if (this.format === 'json') return this.#jsonList(pages, head);
    let columns: readonly Column<T>[] | undefined;
    let layout: TableLayout | undefined;
    for await (const page of pages) {
      if (this.#isClosed) return;
      const [first] = page;
      if (first === undefined) continue;
      if (this.format === 'ndjson') {
        await this.write(page.map((item) => `${formatJson(this.#select(item))}\n`).join(''));
        continue;
      }
      if (!columns) {
        columns = this.#selectColumns(allColumns, first);
        if (this.format === 'csv') await this.write(csvHeader(columns));
      }
      const shown = columns;
      const rows = page.map((item) => shown.map(({ value }) => value(item)));
      if (this.format === 'csv') {
        await this.write(rows.map((row) => `${this.csvLine(row)}\n`).join(''));
        continue;
      }
      const cells = rows.map((row) => row.map((value) => printable(formatCell(value))));
      if (!layout) {
        layout = this.#layOut(columns, cells);
        const names = columns.map(({ name }) => name);
        await this.write(`${this.#dim(tableLine(layout, names))}\n`);
      }
      const set = layout;
      await this.write(cells.map((row) => `${tableLine(set, row)}\n`).join(''));
    }
    if (this.format === 'csv' && !columns) {
      await this.write(csvHeader(this.fields?.map((name) => ({ name })) ?? allColumns));
    }
    if (this.format === 'table' && !columns) this.note('nothing found');
    if (layout && layout.hidden.length > 0) {
      this.note(`too narrow for ${layout.hidden.join(', ')}; --fields selects columns`);
    }
  }

  /**
   * Returns a line of CSV for stdout. In a file, a cell has each of its characters. On a terminal,
   * those that control it are replaced.
   */
  csvLine(values: readonly unknown[]): string {
    return formatCsvLine(values.map((value) => guardFormula(this.printable(formatCell(value)))));
  }

  async #jsonList<T extends object>(
    pages: AsyncIterable<readonly T[]>,
    head: object,
  ): Promise<void> {
    const opening = formatJson(head).slice(0, -1);
    const start = `${opening}${opening === '{' ? '' : ','}"items":[`;
    let separator = `${start}\n`;
    for await (const page of pages) {
      if (this.#isClosed) return;
      for (const item of page) {
        await this.write(`${separator}${formatJson(this.#select(item))}`);
        separator = ',\n';
      }
    }
    await this.write(separator === ',\n' ? '\n]}\n' : `${start}\n]}\n`);
  }

  /** Returns the item with the selected fields only. */
  #select(item: object): object {
    if (!this.fields) return item;
    const known = new Map<string, unknown>(Object.entries(item));
    return Object.fromEntries(
      this.fields.map((field) => {
        if (!known.has(field)) throw unknownField(field, [...known.keys()]);
        return [field, known.get(field)];
      }),
    );
  }

  #selectColumns<T extends object>(columns: readonly Column<T>[], first: T): readonly Column<T>[] {
    return (
      this.fields?.map((name) => {
        const column = columns.find((each) => each.name === name);
        if (column) return column;
        if (Object.hasOwn(first, name)) return { name, value: (item) => item[name as keyof T] };
        const names = new Set([...columns.map((each) => each.name), ...Object.keys(first)]);
        throw unknownField(name, [...names]);
      }) ?? columns
    );
  }

  #layOut<T>(columns: readonly Column<T>[], cells: readonly (readonly string[])[]): TableLayout {
    const titles = columns.map(({ name, isWhole = false }) => ({
      title: name,
      isShortened: !isWhole,
    }));
    const maxWidth = this.#stdout.isTTY ? terminalColumns(this.#stdout) : undefined;
    return layOutTable(titles, cells, maxWidth);
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

function csvHeader(columns: readonly { readonly name: string }[]): string {
  return `${formatCsvLine(columns.map(({ name }) => name))}\n`;
}

function unknownField(field: string, known: readonly string[]): UsageError {
  const near = nearestName(field, known);
  return new UsageError(
    `--fields ${field}: unknown field`,
    near ? `did you mean ${near}?` : `fields: ${known.join(', ')}`,
  );
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(formatCell).join('|');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
