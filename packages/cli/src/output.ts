import { cutText, formatJson, printable } from '@shorty/report';
import { UsageError } from './cli-error.js';
import {
  type Column,
  dim,
  type Formats,
  fieldsOf,
  formatCell,
  formatRows,
  type OutputFormat,
  type Pages,
  select,
} from './format-rows.js';
import { type Io, isRichTerminal, type OutputStream, terminalColumns } from './io.js';
import type { GlobalFlags } from './settings.js';

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

  /** The width of the terminal; undefined for a file or a pipe. */
  get width(): number | undefined {
    return this.#stdout.isTTY ? terminalColumns(this.#stdout) : undefined;
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
    if (this.format === 'json') return this.json(select(item, this.fields));
    const first = 'shortUrl' in item ? { shortUrl: item.shortUrl } : {};
    const entries = Object.entries(select(Object.assign(first, item), this.fields));
    const shown = this.fields ? entries : entries.flatMap(flatten).filter(isFilled);
    const tables = this.fields ? [] : shown.filter(([, value]) => isTable(value));
    const lines = shown.filter((entry) => !tables.includes(entry));
    const width = Math.max(...lines.map(([name]) => name.length));
    for (const [name, value] of lines) {
      const line = `${dim(name.padEnd(width), this.hasColor)}  ${printable(formatCell(value))}`;
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

  /** Prints rows page by page, or the only page. */
  async list<T extends object>(
    pages: Pages<T>,
    columns: readonly Column<T>[],
    head: object = {},
  ): Promise<void> {
    if (this.#jq) {
      const items: object[] = [];
      for await (const page of pages) {
        for (const item of page) items.push(select(item, this.fields, columns));
      }
      return this.json({ ...head, items });
    }
    let isEmpty = true;
    for await (const text of formatRows(pages, columns, this, head)) {
      if (this.#isClosed) return;
      isEmpty = false;
      await this.#put(text);
    }
    if (isEmpty && this.format === 'table') this.note('nothing found');
  }
}

/** Returns the requested format, by default the first of `formats`. */
export function resolveFormat({ json, output }: GlobalFlags, formats: Formats): OutputFormat {
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
