import {
  type ColumnOptions,
  type ColumnPlan,
  type CsvRow,
  errorColumn,
  type FieldSet,
  formatCsvLine,
  isKnownColumn,
  planColumns,
  quoteCell,
  readRows,
  type TextRows,
  withoutFirst,
} from '@shorty/import';
import { formatInstant } from '@shorty/report';
import { timeZoneOption } from '../analytics/parse-time.js';
import { UsageError } from '../cli-error.js';
import { type OptionRows, repeatable } from '../command.js';
import type { Context } from '../context.js';
import { openFile, type TextFile } from './open-file.js';

/** The rows of an open file, and what the user should know about it. */
export interface Rows extends TextRows {
  readonly file: TextFile;
}

/** An open file whose header matched the fields. */
export interface PreparedImport extends Rows {
  readonly plan: ColumnPlan;
  /** How its columns were read. */
  readonly options: ColumnOptions;
  /** The original header row. */
  readonly header: CsvRow;
  /** The number of rows without the header. */
  readonly total: number;
  /** The rows without the header. */
  rows(): AsyncGenerator<CsvRow>;
}

/** Opens a CSV file or, with a service in the fields, a JSON export; stdin for `-`. Closes it at the end. */
export async function withRows<Result>(
  { io, output }: Pick<Context, 'io' | 'output'>,
  path: string,
  { delimiter, fields }: CsvFlags & { readonly fields?: FieldSet },
  isKnown: (title: string) => boolean,
  work: (rows: Rows) => Promise<Result>,
): Promise<Result> {
  const file = await openFile(path, io);
  try {
    const rows = await readRows(file, { delimiter, source: fields?.source, isKnown });
    for (const note of [file.note, ...rows.notes]) if (note !== undefined) output.note(note);
    return await work({ ...rows, file });
  } finally {
    await file.close();
  }
}

/** Works with a file that was read once: its header is known, and its syntax valid. */
export async function withImport<Result>(
  context: Pick<Context, 'io' | 'output'>,
  path: string,
  flags: CsvFlags & { readonly fields: FieldSet },
  work: (prepared: PreparedImport) => Promise<Result>,
): Promise<Result> {
  const { io, output } = context;
  output.requireRows();
  const { fields, map = [], ignoreColumns, dates, timeZone, addScheme } = flags;
  let day: string | undefined;
  let target: string | undefined;
  const onEndOfDay = (cell: string, end: string) => {
    day ??= `${cell} ends at ${formatInstant(end)}, and other dates without a time with their day (--time-zone)`;
  };
  const onNoScheme = (cell: string, url: string) => {
    target ??= `--add-scheme reads targets without a scheme, such as ${quoteCell(cell)}, as ${url}`;
  };
  const options: ColumnOptions = {
    cells: { dates, timeZone, addsScheme: addScheme, onNoScheme, onEndOfDay },
    map: new Map(map.map(parseMapping)),
    ignore: ignoreColumns === true ? 'all' : new Set(splitNames(ignoreColumns)),
  };
  const isKnown = (title: string) => isKnownColumn(title, fields, options);
  return withRows(context, path, flags, isKnown, async (source) => {
    let first: CsvRow | undefined;
    let total = -1;
    for await (const row of source.all()) {
      io.interrupt.throwIfAborted();
      first ??= row;
      total++;
    }
    if (!first) {
      const hint = fields.source
        ? `export the links of ${fields.source.title} again`
        : `its first row must name the columns, at least ${fields.required}`;
      throw new UsageError(`${source.file.name} is empty`, hint);
    }
    const plan = planColumns(first.cells, fields, options);
    const { skipped, ignored } = plan;
    if (skipped.length > 0) {
      output.note(`skipping columns that only the server sets: ${skipped.join(', ')}`);
    }
    if (ignored.length > 0) output.note(`skipping unknown columns: ${ignored.join(', ')}`);
    // A row that fails again gets its new reason in the place of the old one.
    const isRepeated = plan.columns.at(-1)?.title === errorColumn;
    const withoutReason = (row: CsvRow) => {
      const cells = isRepeated ? row.cells.slice(0, -1) : row.cells;
      return isRepeated ? { ...row, raw: formatCsvLine(cells, source.delimiter) } : row;
    };
    const rows = () => withoutFirst(source.all(), withoutReason);
    try {
      return await work({ ...source, plan, options, header: withoutReason(first), total, rows });
    } finally {
      for (const note of [day, target]) if (note !== undefined) output.note(note);
    }
  });
}

/** The options of commands that read a CSV file with named columns. */
export interface CsvFlags {
  /** One character or its name; detected from the header by default. */
  readonly delimiter?: string;
  readonly map?: readonly string[];
  readonly ignoreColumns?: string | true;
  readonly dates?: 'dmy' | 'mdy';
  readonly timeZone?: string;
  readonly addScheme?: boolean;
}

export const csvOptions: OptionRows = {
  '--map <from=to>': repeatable('use a column as a field'),
  '--ignore-columns [names]':
    'columns to ignore, as a line of CSV; without a value: all unknown columns',
  '--delimiter <char>': 'column delimiter (default: detected)',
  '--dates <order>': {
    text: 'order of day and month in dates such as 12/31/2026',
    choices: ['dmy', 'mdy'],
  },
  ...timeZoneOption,
  '--add-scheme': 'read targets such as example.com as https://example.com',
};

function parseMapping(text: string): readonly [string, string] {
  // The last = separates: a column name can contain one, a field name cannot.
  const split = text.lastIndexOf('=');
  const from = text.slice(0, split).trim();
  const to = text.slice(split + 1).trim();
  if (split > 0 && from !== '' && to !== '') return [from, to];
  throw new UsageError(`--map ${text}: must have the form column=field`);
}

/** Returns the names of a line of CSV: a name that contains a comma stands in quotation marks. */
function splitNames(line = ''): string[] {
  return Array.from(line.matchAll(/"((?:[^"]|"")*)"|[^,]+/g), ([plain, quoted]) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  ).filter((name) => name !== '');
}
