import { formatCsvLine, guardFormula } from '@shorty/import';
import { cutText, displayWidth, fitText, formatJson, printable } from '@shorty/report';
import { UsageError, unknownName } from './cli-error.js';
import { type Io, isRichTerminal, lineWidth, type OutputStream } from './io.js';
import type { GlobalFlags } from './settings.js';

export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** A column of a table or a CSV file. */
export interface Column<T> {
  readonly name: string;
  readonly value: (item: T) => unknown;
  /** Whether the value is never cut, because users copy it: an id or a link. */
  readonly isWhole?: boolean;
}

// Users copy these values, so no column cuts them.
const copied = new Set([
  'id',
  'shortUrl',
  'hostname',
  'host',
  'start',
  'location',
  'type',
  'field',
]);

/** Returns the columns of these fields. */
export function columnsOf<T extends object>(...names: readonly (keyof T & string)[]): Column<T>[] {
  return names.map((name) => ({ name, value: (item) => item[name], isWhole: copied.has(name) }));
}

/** Returns the columns of all fields of an object. */
export function fieldsOf<T extends object>(item: T): Column<T>[] {
  return columnsOf(...(Object.keys(item) as (keyof T & string)[]));
}

export interface OutputOptions
  extends Pick<Output, 'format' | 'isQuiet' | 'allowsColor'>,
    Partial<Pick<Output, 'fields'>> {
  /** Whether CSV begins with a byte order mark, as Excel expects it. */
  readonly isForExcel?: boolean | undefined;
  /** The filter of `--jq`, which JSON goes through. */
  readonly jq?: ((data: unknown) => Iterable<unknown>) | undefined;
}

/** Writes to stdout and stderr above a live view, which stays the last on the terminal. */
interface AboveView {
  readonly write: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** Writes data to stdout in the requested format, and everything else to stderr. */
export class Output {
  readonly format: OutputFormat;
  readonly isQuiet: boolean;
  /** False with `--no-color` or NO_COLOR. Colors also require a terminal. */
  readonly allowsColor: boolean;
  /** True when stdout supports colors and the user allows them. */
  readonly hasColor: boolean;
  /** The fields to print, in this order; undefined for all. */
  readonly fields: readonly string[] | undefined;
  /** What CSV begins with. */
  readonly byteOrderMark: string;
  readonly #jq: OutputOptions['jq'];
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  #isClosed = false;
  #above: AboveView | undefined;

  constructor(io: Pick<Io, 'stdout' | 'stderr' | 'env'>, options: OutputOptions) {
    this.format = options.format;
    this.isQuiet = options.isQuiet;
    this.allowsColor = options.allowsColor;
    this.hasColor = options.allowsColor && isRichTerminal(io.stdout, io.env);
    this.fields = options.fields;
    this.byteOrderMark = options.isForExcel ? '\ufeff' : '';
    this.#jq = options.jq;
    this.#stdout = io.stdout;
    this.#stderr = io.stderr;
    // A closed pipe, as with `| head`, is not an error.
    this.#stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      this.#isClosed = true;
    });
  }

  /** Prints above a live view. Returns the function that ends this. */
  writeBy(above: AboveView): () => void {
    this.#above = above;
    return () => {
      this.#above = undefined;
    };
  }

  /** True after the reader of stdout closed the pipe. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether the format has a line for each row, also of a command that otherwise prints a summary. */
  get printsRows(): boolean {
    return this.format === 'ndjson' || this.format === 'csv';
  }

  /** Whether messages for people replace data. */
  get isForPeople(): boolean {
    return this.format === 'table' && !this.fields;
  }

  /** Throws a UsageError if `--fields` selects fields of a summary for people. */
  requireRows(): void {
    if (!this.fields || this.format !== 'table') return;
    throw new UsageError('--fields: the summary has no fields', 'add --output csv or ndjson');
  }

  /** Writes text to stdout. Throws a UsageError with `--fields` and `--jq`. */
  async write(text: string): Promise<void> {
    if (this.fields) throw new UsageError('--fields: this output has no fields');
    if (this.#jq) throw new UsageError('--jq: this output is not JSON');
    await this.#put(text);
  }

  /** Writes to stdout, and waits for a slow reader. */
  async #put(text: string): Promise<void> {
    if (this.#isClosed || text === '') return;
    if (this.#above) return this.#above.write(text);
    await new Promise<unknown>((resolve) => this.#stdout.write(text, resolve));
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
    const lines = `${text.split('\n').map(printable).join('\n')}\n`;
    if (this.#above) this.#above.warn(lines);
    else this.#stderr.write(lines);
  }

  /** Prints what a command has done: on stdout for people, beside the data otherwise. */
  async result(text: string): Promise<void> {
    if (this.isForPeople) await this.message(printable(text));
    else this.note(text);
  }

  /** Prints printable lines for people to stdout, except with `--quiet`. */
  async message(text: string): Promise<void> {
    if (!this.isQuiet) await this.write(`${text}\n`);
  }

  /** Prints a text for people, or the record for programs. */
  async value(text: string, record: object): Promise<void> {
    await (this.isForPeople ? this.write(`${text}\n`) : this.record(record));
  }

  /** Prints the summary of rows, unless the rows are printed: a message for people, or a record as JSON. */
  async summary(text: string, record: object): Promise<void> {
    if (this.format === 'json') await this.record(record);
    else if (!this.printsRows) await this.message(text);
  }

  /** Prints a value as JSON, through the filter of `--jq`. */
  async json(value: unknown): Promise<void> {
    if (!this.#jq) return this.#put(`${formatJson(value, 2)}\n`);
    for (const result of this.#jq(value)) {
      const text = typeof result === 'string' ? this.printable(result) : formatJson(result);
      await this.#put(`${text}\n`);
    }
  }

  /** Prints one item. For people, it begins with the short URL, has no empty fields, and ends with its lists. */
  async record<T extends object>(item: T): Promise<void> {
    if (this.printsRows) return this.list([[item]], fieldsOf(item));
    if (this.format === 'json') return this.json(this.#select(item));
    const first = 'shortUrl' in item ? { shortUrl: item.shortUrl } : {};
    const entries = Object.entries(this.#select(Object.assign(first, item)));
    const shown = this.fields ? entries : entries.flatMap(flatten).filter(isFilled);
    const tables = this.fields ? [] : shown.filter(([, value]) => isTable(value));
    const lines = shown.filter((entry) => !tables.includes(entry));
    const width = Math.max(...lines.map(([name]) => name.length));
    for (const [name, value] of lines) {
      const line = `${this.#dim(name.padEnd(width))}  ${printable(formatCell(value))}`;
      await this.#put(`${line.trimEnd()}\n`);
    }
    for (const [name, value] of tables) {
      const rows = (value as readonly object[]).filter(hasCount);
      const [first] = rows;
      if (first === undefined) continue;
      await this.#put(`\n${name}\n`);
      await this.list([rows], fieldsOf(first));
    }
  }

  /** Prints what an update has changed: one line for people, the record for programs. */
  async updated(name: string, patch: object, record: object): Promise<void> {
    if (!this.isForPeople) return this.record(record);
    const values: Readonly<Record<string, unknown>> = { ...record };
    const changes = Object.keys(patch).flatMap((field) => {
      if (field === 'isActive') return values[field] ? 'resumed' : 'paused';
      if (field === 'password')
        return values.isPasswordProtected ? 'password set' : 'password cleared';
      // A record has no other secrets.
      if (!(field in values)) return [];
      const text = cutText(formatCell(values[field]), 60);
      return `${field} ${text === '' ? 'cleared' : text}`;
    });
    await this.result(`${values.shortUrl ?? name} updated: ${changes.join(', ')}`);
  }

  /**
   * Prints rows page by page, or the only page. The JSON format is `head` with the rows as `items`. The columns
   * of a table have the widths of the first page, and fit the terminal.
   */
  async list<T extends object>(
    pages: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
    columns: readonly Column<T>[],
    head: object = {},
  ): Promise<void> {
    if (this.format === 'json') return this.#jsonList(pages, columns, head);
    let toLine: ((item: T) => string) | undefined;
    for await (const page of pages) {
      if (this.#isClosed) return;
      const [first] = page;
      if (first === undefined) continue;
      let header = '';
      if (!toLine) [header, toLine] = this.#layOut(first, page, columns);
      await this.#put(header + page.map((item) => `${toLine?.(item)}\n`).join(''));
    }
    if (toLine) return;
    if (this.format === 'csv') {
      await this.#put(this.csvHeader(this.fields ?? columns.map(({ name }) => name)));
    }
    if (this.format === 'table') this.note('nothing found');
  }

  /** Returns the header of a list, and the function that turns an item into a line. */
  #layOut<T extends object>(
    first: T,
    page: readonly T[],
    allColumns: readonly Column<T>[],
  ): [string, (item: T) => string] {
    if (this.format === 'ndjson') return ['', (item) => formatJson(this.#select(item, allColumns))];
    const columns = this.fields
      ? choose(this.fields, [...fieldsOf(first), ...allColumns])
      : allColumns;
    const names = columns.map(({ name }) => name);
    const toRow = (item: T) => columns.map(({ value }) => value(item));
    if (this.format === 'csv') return [this.csvHeader(names), (item) => this.csvLine(toRow(item))];
    const toCells = (item: T) => toRow(item).map((value) => printable(formatCell(value)));
    const maxWidth = lineWidth(this.#stdout);
    const widths = columnWidths(columns, page.map(toCells), maxWidth, this.fields !== undefined);
    const header = `${this.#dim(tableLine(columns, widths, names))}\n`;
    return [header, (item) => tableLine(columns, widths, toCells(item))];
  }

  /** Returns the first line of CSV. */
  csvHeader(names: readonly string[]): string {
    return `${this.byteOrderMark}${formatCsvLine(names)}\n`;
  }

  /**
   * Returns a line of CSV for stdout. In a file, a cell has each of its characters. On a terminal,
   * those that control it are replaced.
   */
  csvLine(values: readonly unknown[]): string {
    return formatCsvCells(values, (cell) => this.printable(cell));
  }

  async #jsonList<T extends object>(
    pages: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
    columns: readonly Column<T>[],
    head: object,
  ): Promise<void> {
    if (this.#jq) {
      const items: object[] = [];
      for await (const page of pages) {
        for (const item of page) items.push(this.#select(item, columns));
      }
      return this.json({ ...head, items });
    }
    // Only after the first item, whose fields may be wrong.
    let start = formatJson({ ...head, items: [] }).slice(0, -']}'.length);
    let separator = '\n';
    for await (const page of pages) {
      if (this.#isClosed) return;
      const lines = page.map((item) => formatJson(this.#select(item, columns)));
      if (lines.length === 0) continue;
      await this.#put(start + separator + lines.join(',\n'));
      start = '';
      separator = ',\n';
    }
    await this.#put(`${start}\n]}\n`);
  }

  /** Returns the item with the selected fields only. A column may be none of its fields. */
  #select<T extends object>(item: T, columns: readonly Column<T>[] = []): object {
    if (!this.fields) return item;
    const chosen = choose(this.fields, [...columns, ...fieldsOf(item)]);
    return Object.fromEntries(chosen.map(({ name, value }) => [name, value(item)]));
  }

  #dim(text: string): string {
    return this.hasColor ? `\u001b[2m${text}\u001b[22m` : text;
  }
}

/** Returns the columns of these fields. Of columns with the same name, the last one counts. */
function choose<T>(fields: readonly string[], columns: readonly Column<T>[]): readonly Column<T>[] {
  const known = new Map(columns.map((column) => [column.name, column]));
  return fields.map((field) => {
    const column = known.get(field);
    if (column) return column;
    throw unknownField(field, [...known.keys()]);
  });
}

/** Returns the requested format, by default the first of `formats`. */
export function resolveFormat<Format extends string>(
  { json, output }: Pick<GlobalFlags, 'json' | 'output'>,
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
export function allowsColor(flags: GlobalFlags, env: Io['env']): boolean {
  return flags.color !== false && !env.NO_COLOR;
}

/** Returns the error for a name in `--fields` that is none of the known ones. */
export function unknownField(field: string, known: readonly string[]): UsageError {
  return unknownName(`--fields ${field}: unknown field`, field, known);
}

/** Returns the fields of an object as fields of the record: `txtRecord.name`. */
function flatten([name, value]: [string, unknown]): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, value]];
  return Object.entries(value).map(([part, each]) => [printable(`${name}.${part}`), each]);
}

/** Whether a value is a list of objects, such as the attempts of a delivery. */
function isTable(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null;
}

function isFilled([, value]: [string, unknown]): boolean {
  return formatCell(value) !== '';
}

/** Returns false for a bucket of a series in which nothing was counted. */
function hasCount(row: object): boolean {
  const counts = Object.values(row).filter((value) => typeof value === 'number');
  return counts.length === 0 || counts.some((count) => count !== 0);
}

/** Returns a line of CSV in which no cell starts a formula. */
export function formatCsvCells(values: readonly unknown[], print = (cell: string) => cell): string {
  return formatCsvLine(values.map((value) => guardFormula(print(formatCell(value)))));
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return formatList(value);
  if (typeof value !== 'object') return String(value);
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}

/** Returns a list as `a|b`, or as JSON if an import would split or trim an item. */
function formatList(list: readonly unknown[]): string {
  const isPlain = (item: unknown) => {
    const text = String(item);
    return typeof item !== 'object' && text === text.trim() && /^[^|[][^|]*$/.test(text);
  };
  if (!list.every(isPlain)) return JSON.stringify(list);
  const text = list.join('|');
  // An import splits at commas if there is no `|`.
  return list.length === 1 && text.includes(',') ? `${text}|` : text;
}

const gap = '  ';
// A narrower cell shows nothing useful. It holds the date of a time.
const narrowest = 12;

type TableColumn = Pick<Column<never>, 'name' | 'isWhole'>;

/**
 * Returns the widths of the columns of a table for these rows. The columns stand in order of importance: the
 * last ones are left out while the table is wider than `maxWidth` with its cells cut, unless all are wanted.
 * Then the widest column that may be cut gets narrower. What is still too wide is broken by the terminal.
 */
function columnWidths(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
  wantsAll: boolean,
): number[] {
  const widths = columns.map(({ name }, index) =>
    Math.max(displayWidth(name), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  const least = widths.map((width, index) => {
    const { name = '', isWhole = false } = columns[index] ?? {};
    return isWhole ? width : Math.min(width, Math.max(narrowest, displayWidth(name)));
  });
  while (!wantsAll && least.length > 1 && lineLength(least) > maxWidth) least.pop();
  widths.length = least.length;
  while (lineLength(widths) > maxWidth) {
    const cuttable = widths.map((width, index) => (width > (least[index] ?? 0) ? width : 0));
    const widest = cuttable.indexOf(Math.max(...cuttable));
    if (cuttable[widest] === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function lineLength(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + gap.length, -gap.length);
}

/** Returns one line of a table, without spaces at its end. A whole cell may be wider than its column. */
function tableLine(
  columns: readonly TableColumn[],
  widths: readonly number[],
  cells: readonly string[],
): string {
  const line = widths.map((width, index) => {
    const cell = cells[index] ?? '';
    return fitText(cell, columns[index]?.isWhole ? Math.max(width, displayWidth(cell)) : width);
  });
  return line.join(gap).trimEnd();
}
