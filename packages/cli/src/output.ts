import { UsageError } from './cli-error.js';
import { formatCsvLine } from './csv-line.js';
import { formatJson, printable } from './format.js';
import { guardFormula } from './import/cell-values.js';
import { nearestName } from './import/nearest-name.js';
import { type Io, isRichTerminal, lineWidth, type OutputStream } from './io.js';
import {
  fitsLayout,
  layOutTable,
  type RecordField,
  recordLines,
  splitValue,
  type TableColumn,
  type TableLayout,
  tableLine,
} from './table.js';
import { wrapText } from './text-width.js';

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

  /** Writes text that has no fields to stdout. Throws a UsageError with `--fields`. */
  async write(text: string): Promise<void> {
    if (this.fields) throw new UsageError('--fields: this output has no fields');
    await this.#put(text);
  }

  /** Writes to stdout. Waits for `drain` when the buffer is full. */
  async #put(text: string): Promise<void> {
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
    const safe = text.split('\n').map(printable).join('\n');
    this.#stderr.write(`${wrapText(safe, lineWidth(this.#stderr))}\n`);
  }

  /** Prints printable lines for people to stdout. They may have colors. */
  async message(text: string): Promise<void> {
    await this.write(`${wrapText(text, lineWidth(this.#stdout))}\n`);
  }

  /** Prints one item. In a table, the names take at least `minLabelWidth` characters. */
  async record<T extends object>(item: T, minLabelWidth = 0): Promise<void> {
    const selected = this.#select(item);
    const entries = Object.entries(selected);
    if (this.format === 'json') return this.#put(`${formatJson(selected, 2)}\n`);
    if (this.format === 'ndjson') return this.#put(`${formatJson(selected)}\n`);
    if (this.format === 'csv') {
      const names = entries.map(([name]) => name);
      const cells = entries.map(([, value]) => value);
      return this.#put(`${formatCsvLine(names)}\n${this.csvLine(cells)}\n`);
    }
    return this.#put(this.#recordText(selected, minLabelWidth));
  }

  /**
   * Prints rows page by page. The JSON format is `head` with the rows as `items`. A table fits the
   * terminal; if it is too narrow for the ids and links, each row is a record. The widths are those
   * of the first page, until a page needs wider ones.
   */
  async list<T extends object>(
    pages: AsyncIterable<readonly T[]>,
    allColumns: readonly Column<T>[],
    head: object = {},
  ): Promise<void> {
    if (this.format === 'json') return this.#jsonList(pages, allColumns, head);
    let columns: readonly Column<T>[] | undefined;
    let table: TableOnTerminal | undefined;
    for await (const page of pages) {
      if (this.#isClosed) return;
      const [first] = page;
      if (first === undefined) continue;
      if (this.format === 'ndjson') {
        await this.#put(
          page.map((item) => `${formatJson(this.#select(item, allColumns))}\n`).join(''),
        );
        continue;
      }
      if (!columns) {
        columns = this.#selectColumns(allColumns, first);
        if (this.format === 'csv') await this.#put(csvHeader(columns));
      }
      const shown = columns;
      const rows = page.map((item) => shown.map(({ value }) => value(item)));
      if (this.format === 'csv') {
        await this.#put(rows.map((row) => `${this.csvLine(row)}\n`).join(''));
        continue;
      }
      table ??= new TableOnTerminal(columns, lineWidth(this.#stdout), (text) => this.#dim(text));
      await this.#put(table.text(rows));
    }
    if (this.format === 'csv' && !columns) {
      await this.#put(csvHeader(this.fields?.map((name) => ({ name })) ?? allColumns));
    }
    if (this.format === 'table' && !columns) this.note('nothing found');
    if (table && table.hidden.length > 0) {
      this.note(`too narrow for ${table.hidden.join(', ')}; --fields selects columns`);
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
    columns: readonly Column<T>[],
    head: object,
  ): Promise<void> {
    const opening = formatJson(head).slice(0, -1);
    const start = `${opening}${opening === '{' ? '' : ','}"items":[`;
    let separator = `${start}\n`;
    for await (const page of pages) {
      if (this.#isClosed) return;
      for (const item of page) {
        await this.#put(`${separator}${formatJson(this.#select(item, columns))}`);
        separator = ',\n';
      }
    }
    await this.#put(separator === ',\n' ? '\n]}\n' : `${start}\n]}\n`);
  }

  /** Returns the item with the selected fields only. A column may be none of its fields. */
  #select<T extends object>(item: T, columns: readonly Column<T>[] = []): object {
    if (!this.fields) return item;
    const known = new Map<string, unknown>([
      ...columns.map(({ name, value }) => [name, value(item)] as const),
      ...Object.entries(item),
    ]);
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

  #recordText(item: object, minNameWidth = 0): string {
    const lines = recordLines(Object.entries(item).map(toField), {
      maxWidth: lineWidth(this.#stdout),
      minNameWidth,
      styleName: (name) => this.#dim(name),
    });
    return lines.map((line) => `${line}\n`).join('');
  }

  #dim(text: string): string {
    return this.hasColor ? `\u001b[2m${text}\u001b[22m` : text;
  }
}

/** The state of a table that is printed page by page. */
class TableOnTerminal {
  readonly #names: readonly string[];
  readonly #isWhole: readonly boolean[];
  readonly #maxWidth: number;
  readonly #dim: (text: string) => string;
  #columns: readonly TableColumn[] = [];
  /** Undefined before the first page, and when rows are records. */
  #layout: TableLayout | undefined;
  #isBegun = false;

  constructor(
    columns: readonly Pick<Column<never>, 'name' | 'isWhole'>[],
    maxWidth: number,
    dim: (text: string) => string,
  ) {
    this.#names = columns.map(({ name }) => name);
    this.#isWhole = columns.map(({ isWhole = false }) => isWhole);
    this.#maxWidth = maxWidth;
    this.#dim = dim;
  }

  get hidden(): readonly string[] {
    return this.#layout?.hidden ?? [];
  }

  /** Returns the lines of a page. */
  text(rows: readonly (readonly unknown[])[]): string {
    const cells = rows.map((row) => row.map((value) => printable(formatCell(value))));
    const layout = this.#layout;
    const isEnough =
      this.#isBegun && (!layout || cells.every((row) => fitsLayout(layout, this.#columns, row)));
    const header = isEnough ? [] : this.#layOut(rows, cells);
    const set = this.#layout;
    const lines = set
      ? cells.map((row) => tableLine(set, row))
      : rows.flatMap((row, index) => this.#record(row, this.#isBegun || index > 0));
    this.#isBegun = true;
    return [...header, ...lines].map((line) => `${line}\n`).join('');
  }

  #layOut(rows: readonly (readonly unknown[])[], cells: readonly (readonly string[])[]): string[] {
    this.#columns = this.#names.map((title, index) => ({
      title,
      isWhole: this.#isWhole[index] === true,
      isShortened: !this.#isWhole[index] && rows.some((row) => isText(row[index])),
    }));
    this.#layout = layOutTable(this.#columns, cells, this.#maxWidth);
    return this.#layout ? [this.#dim(tableLine(this.#layout, this.#names))] : [];
  }

  #record(row: readonly unknown[], isContinued: boolean): string[] {
    const fields = this.#names.map((name, index) => toField([name, row[index]]));
    const shape = { maxWidth: this.#maxWidth, styleName: this.#dim };
    return [...(isContinued ? [''] : []), ...recordLines(fields, shape)];
  }
}

function toField([name, value]: readonly [string, unknown]): RecordField {
  return { name, pieces: splitValue(value, printable(formatCell(value))) };
}

/** Returns whether a value can be shortened: half of an instant or a number is of no use. */
function isText(value: unknown): boolean {
  if (typeof value === 'string') return !/^(\d{4}-\d\d-\d\d(T[\d:.]+Z)?)?$/.test(value);
  return typeof value === 'object' && value !== null;
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

/** Returns the error for a name in `--fields` that is none of the known ones. */
export function unknownField(field: string, known: readonly string[]): UsageError {
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
