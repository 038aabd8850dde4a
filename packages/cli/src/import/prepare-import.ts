import {
  type ColumnOptions,
  type ColumnPlan,
  type CsvRow,
  delimiterName,
  detectDelimiter,
  errorColumn,
  type FieldSet,
  formatCsvLine,
  isJson,
  isKnownColumn,
  jsonToCsv,
  parseDelimiter,
  planColumns,
  planPositions,
  readCsv,
} from '@shorty/import';
import { UsageError } from '../cli-error.js';
import type { Io } from '../io.js';
import { openFile, type TextFile } from './open-file.js';

export interface CsvOptions {
  readonly encoding?: string | undefined;
  /** One character or its name; detected from the header by default. */
  readonly delimiter?: string | undefined;
  /** False when the first row has values; true by default. */
  readonly hasHeader?: boolean | undefined;
}

export interface PrepareOptions extends CsvOptions {
  readonly columns: ColumnOptions;
  readonly fields: FieldSet;
}

/** The rows of an open file, and what the user should know about it. */
export interface Rows {
  readonly file: TextFile;
  readonly delimiter: string;
  /** The line end of the file. */
  readonly lineEnd: string;
  readonly notes: readonly string[];
  /** All rows including the header. Can be called several times. */
  all(): AsyncGenerator<CsvRow>;
}

/** An open file whose header matched the fields. */
export interface PreparedImport extends Rows {
  readonly plan: ColumnPlan;
  /** The original header row; undefined for a file without one. */
  readonly header: CsvRow | undefined;
  /** The number of rows without the header. */
  readonly total: number;
  /** The rows without the header. */
  rows(): AsyncGenerator<CsvRow>;
}

/** Opens a file, or stdin for `-`, and reads it once: its header, and whether its syntax is valid. */
export async function prepareImport(
  path: string,
  options: PrepareOptions,
  io: Pick<Io, 'stdin' | 'interrupt'>,
): Promise<PreparedImport> {
  const { hasHeader = true, fields, columns } = options;
  const isKnown = (title: string) => isKnownColumn(title, fields, columns);
  const source = await openRows(path, options, io, isKnown, fields);
  try {
    let first: CsvRow | undefined;
    let total = 0;
    for await (const row of source.all()) {
      io.interrupt.throwIfAborted();
      first ??= row;
      total++;
    }
    if (!first) {
      const hint = fields.source
        ? `export the links of ${fields.source.title} again`
        : `its first row must name the columns, at least ${fields.required.join(', ')}`;
      throw new UsageError(`${source.file.name} is empty`, hint);
    }
    const plan = hasHeader
      ? planColumns(first.cells, fields, columns)
      : planPositions(first.cells.length, fields, columns);
    const notes = [...source.notes];
    if (plan.skipped.length > 0) {
      notes.push(`skipping columns that only the server sets: ${plan.skipped.join(', ')}`);
    }
    if (plan.ignored.length > 0) notes.push(`skipping unknown columns: ${plan.ignored.join(', ')}`);
    // A row that fails again gets its new reason in the place of the old one.
    const isRepeated = hasHeader && plan.titles.at(-1) === errorColumn;
    const withoutReason = (row: CsvRow) => {
      const cells = isRepeated ? row.cells.slice(0, -1) : row.cells;
      return isRepeated ? { ...row, raw: formatCsvLine(cells, source.delimiter) } : row;
    };
    return {
      ...source,
      plan,
      notes,
      header: hasHeader ? withoutReason(first) : undefined,
      total: hasHeader ? total - 1 : total,
      rows: () => (hasHeader ? withoutFirst(source.all(), withoutReason) : source.all()),
    };
  } catch (error) {
    await source.file.close();
    throw error;
  }
}

/** Opens a CSV file or, with a service in the fields, a JSON export. */
export async function openRows(
  path: string,
  { encoding, delimiter: named }: CsvOptions,
  io: Pick<Io, 'stdin' | 'interrupt'>,
  isKnown: (title: string) => boolean,
  fields?: FieldSet,
): Promise<Rows> {
  const file = await openFile(path, io, encoding);
  try {
    const start = await readStart(file);
    const notes = file.note === undefined ? [] : [file.note];
    if (fields?.source && isJson(start)) {
      let text = '';
      // A JSON document must be in memory as a whole.
      for await (const part of file.text()) text += part;
      const { csv, unset } = jsonToCsv(text, file.name, fields.source, isKnown);
      notes.push(`reading ${file.name} as JSON; "line 2" in messages is its first link`);
      if (unset.length > 0) {
        notes.push(`skipping unknown fields that are false in every link: ${unset.join(', ')}`);
      }
      return { file, delimiter: ',', lineEnd: '\n', notes, all: () => readCsv(partsOf(csv), ',') };
    }
    const sep = /^\ufeff?"?sep=([^"\r\n])"?[\r\n]/i.exec(start)?.[1];
    const detected = sep ?? detectDelimiter(start, isKnown);
    const delimiter = named === undefined ? detected : parseDelimiter(named);
    if (named === undefined && delimiter !== ',') {
      notes.push(
        `columns are separated by a ${delimiterName(delimiter)}; --delimiter changes this`,
      );
    }
    const rows = () => readCsv(file.text(), delimiter);
    const lineEnd = /\r\n|\n|\r/.exec(start)?.[0] ?? '\n';
    return {
      file,
      delimiter,
      lineEnd,
      notes,
      all: sep === undefined ? rows : () => withoutFirst(rows()),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readStart(file: TextFile): Promise<string> {
  for await (const part of file.text()) if (part.trim() !== '') return part;
  return '';
}

async function* partsOf(text: string): AsyncGenerator<string> {
  yield text;
}

async function* withoutFirst(
  rows: AsyncIterable<CsvRow>,
  convert = (row: CsvRow) => row,
): AsyncGenerator<CsvRow> {
  let isFirst = true;
  for await (const row of rows) {
    if (!isFirst) yield convert(row);
    isFirst = false;
  }
}
