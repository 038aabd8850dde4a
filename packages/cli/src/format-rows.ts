import { formatCsvLine, guardFormula } from '@shorty/import';
import { displayWidth, fitText, formatJson, printable } from '@shorty/report';
import { type UsageError, unknownName } from './cli-error.js';

export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const;
/** A report also has `terminal` and `html`. */
export type OutputFormat = (typeof outputFormats)[number] | 'terminal' | 'html';
/** The formats of a command, the default first. */
export type Formats = readonly [OutputFormat, ...OutputFormat[]];

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

export type Pages<T> = AsyncIterable<readonly T[]> | Iterable<readonly T[]>;

/** How rows are written. */
export interface RowForm {
  readonly format: OutputFormat;
  /** The fields to write, in this order; undefined for all. */
  readonly fields?: readonly string[] | undefined;
  /** What CSV begins with. */
  readonly byteOrderMark: string;
  /** The width of a terminal. In a file or a pipe, a table has any width, and a cell of CSV each of its characters. */
  readonly width?: number | undefined;
  readonly hasColor?: boolean;
}

/**
 * Yields each page of rows as text. The JSON format is `head` with the rows as `items`. The columns of a
 * table have the widths of its first page.
 */
export async function* formatRows<T extends object>(
  pages: Pages<T>,
  columns: readonly Column<T>[],
  form: RowForm,
  head: object = {},
): AsyncGenerator<string> {
  const { format, fields, byteOrderMark } = form;
  const isJson = format === 'json';
  const jsonStart = formatJson({ ...head, items: [] }).slice(0, -']}'.length);
  let toLine: ((item: T) => string) | undefined;
  for await (const page of pages) {
    const [first] = page;
    if (first === undefined) continue;
    let start = isJson ? ',\n' : '';
    if (!toLine) {
      // Nothing precedes the first item, whose fields may be wrong.
      [start, toLine] = layOut(first, page, columns, form);
      if (isJson) start = `${jsonStart}\n`;
    }
    const lines = page.map(toLine);
    yield start + (isJson ? lines.join(',\n') : `${lines.join('\n')}\n`);
  }
  if (isJson) yield `${toLine ? '' : jsonStart}\n]}\n`;
  else if (format === 'csv' && !toLine) {
    yield csvHeader(fields ?? columns.map(({ name }) => name), byteOrderMark);
  }
}

/** Returns what precedes the first row, and the function that turns an item into a line. */
function layOut<T extends object>(
  first: T,
  page: readonly T[],
  all: readonly Column<T>[],
  { format, fields, byteOrderMark, width, hasColor = false }: RowForm,
): [string, (item: T) => string] {
  if (format === 'json' || format === 'ndjson') {
    return ['', (item) => formatJson(select(item, fields, all))];
  }
  const columns = fields ? choose(fields, [...fieldsOf(first), ...all]) : all;
  const names = columns.map(({ name }) => name);
  const toRow = (item: T) => columns.map(({ value }) => value(item));
  if (format === 'csv') {
    const print = width === undefined ? undefined : printable;
    return [csvHeader(names, byteOrderMark), (item) => formatCsvCells(toRow(item), print)];
  }
  const toCells = (item: T) => toRow(item).map((value) => printable(formatCell(value)));
  const widths = columnWidths(columns, page.map(toCells), width ?? Infinity, fields !== undefined);
  const header = `${dim(tableLine(columns, widths, names), hasColor)}\n`;
  return [header, (item) => tableLine(columns, widths, toCells(item))];
}

export function dim(text: string, hasColor: boolean): string {
  return hasColor ? `\u001b[2m${text}\u001b[22m` : text;
}

/** Returns the item with these fields only, or with all. A column may be none of its fields. */
export function select<T extends object>(
  item: T,
  fields?: readonly string[],
  columns: readonly Column<T>[] = [],
): object {
  if (!fields) return item;
  const chosen = choose(fields, [...columns, ...fieldsOf(item)]);
  return Object.fromEntries(chosen.map(({ name, value }) => [name, value(item)]));
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

/** Returns the error for a name in `--fields` that is none of the known ones. */
export function unknownField(field: string, known: readonly string[]): UsageError {
  return unknownName(`--fields ${field}: unknown field`, field, known);
}

/** Returns the first line of CSV. */
export function csvHeader(names: readonly string[], byteOrderMark: string): string {
  return `${byteOrderMark}${formatCsvLine(names)}\n`;
}

/** Returns a line of CSV in which no cell starts a formula. */
export function formatCsvCells(values: readonly unknown[], print = (cell: string) => cell): string {
  return formatCsvLine(values.map((value) => guardFormula(print(formatCell(value)))));
}

export function formatCell(value: unknown): string {
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
