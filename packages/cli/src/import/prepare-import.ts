import { UsageError } from '../cli-error.js';
import type { Io } from '../io.js';
import {
  type ColumnOptions,
  type ColumnPlan,
  isKnownColumn as isKnown,
  planColumns,
  planPositions,
} from './column-plan.js';
import { type CsvFile, type CsvOptions, inspectCsv, withoutFirst } from './csv-file.js';
import type { CsvRecord } from './csv-reader.js';
import { openInput } from './import-input.js';
import { convertJsonExport } from './json-export.js';
import type { RecordBatch } from './plan-chunks.js';
import type { FieldSet } from './url-fields.js';

export interface PrepareOptions extends CsvOptions {
  readonly columns: ColumnOptions;
  readonly fields: FieldSet;
}

/** An open file whose header matched the fields. */
export interface PreparedImport extends Omit<CsvFile, 'records'> {
  readonly plan: ColumnPlan;
  /** The original header row; undefined for a file without one. */
  readonly header: CsvRecord | undefined;
  /** The rows, without the header. */
  rows(): AsyncGenerator<RecordBatch>;
  close(): Promise<void>;
}

const jsonAsCsv: CsvOptions = { encoding: 'utf-8', delimiter: ',' };

/** Opens a file, or stdin for `-`, and parses its header. */
export async function prepareImport(
  path: string,
  options: PrepareOptions,
  io: Pick<Io, 'stdin' | 'interrupt'>,
): Promise<PreparedImport> {
  let input = await openInput(path, io);
  try {
    const { hasHeader = true, fields, columns } = options;
    const isKnownColumn = (title: string) => isKnown(title, fields, columns);
    const conversion =
      fields.source &&
      (await convertJsonExport(input, fields.source, { isKnownColumn, interrupt: io.interrupt }));
    if (conversion) input = conversion.input;
    const csv = await inspectCsv(
      input,
      conversion?.isJson ? jsonAsCsv : { ...options, isKnownColumn },
    );
    const first = await readFirstRow(csv, { hasHeader, fields });
    const plan = hasHeader
      ? planColumns(first.cells, fields, columns)
      : planPositions(first.cells.length, fields, columns);
    const notes = [...csv.notes, ...describeSkippedColumns(plan)];
    if (conversion) notes.unshift(...conversion.notes);
    const rows = () => (hasHeader ? withoutFirst(csv.records()) : csv.records());
    const header = hasHeader ? first : undefined;
    const { close } = input;
    return { ...csv, plan, header, notes, rows, close };
  } catch (error) {
    await input.close();
    throw error;
  }
}

async function readFirstRow(
  csv: CsvFile,
  { hasHeader, fields }: { hasHeader: boolean; fields: FieldSet },
): Promise<CsvRecord> {
  for await (const { records } of csv.records()) {
    for (const row of records) {
      if (row.error === undefined) return row;
      const name = hasHeader ? 'header' : 'first row';
      throw new UsageError(`the ${name} cannot be read: line ${row.line}: ${row.error}`);
    }
  }
  throw new UsageError(
    `${csv.input.name} is empty`,
    fields.source
      ? `export the links of ${fields.source.title} again`
      : `its first row must name the columns, at least ${fields.required.join(', ')}`,
  );
}

function describeSkippedColumns({ skipped, ignored }: ColumnPlan): string[] {
  const notes: string[] = [];
  if (skipped.length > 0) {
    notes.push(`skipping columns that only the server sets: ${skipped.join(', ')}`);
  }
  if (ignored.length > 0) notes.push(`skipping unknown columns: ${ignored.join(', ')}`);
  return notes;
}
