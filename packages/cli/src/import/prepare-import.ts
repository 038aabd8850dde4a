import { UsageError } from '../cli-error.js';
import type { Io } from '../io.js';
import { type ColumnOptions, type ColumnPlan, planColumns } from './column-plan.js';
import { type CsvFile, type CsvOptions, inspectCsv } from './csv-file.js';
import type { CsvRecord } from './csv-reader.js';
import { openInput } from './import-input.js';
import type { RecordBatch } from './plan-chunks.js';
import type { FieldSet } from './url-fields.js';

export interface PrepareOptions extends CsvOptions {
  readonly columns: ColumnOptions;
  readonly fields: FieldSet;
}

/** An open file whose header matched the fields. */
export interface PreparedImport extends Omit<CsvFile, 'records'> {
  readonly plan: ColumnPlan;
  /** The original header row. */
  readonly header: CsvRecord;
  /** The rows after the header. */
  rows(): AsyncGenerator<RecordBatch>;
  close(): Promise<void>;
}

/** Opens a file, or stdin for `-`, and parses its header. */
export async function prepareImport(
  path: string,
  options: PrepareOptions,
  io: Pick<Io, 'stdin' | 'interrupt'>,
): Promise<PreparedImport> {
  const input = await openInput(path, io);
  try {
    const csv = await inspectCsv(input, options);
    const header = await readHeader(csv, options.fields);
    const plan = planColumns(header.cells, options.fields, options.columns);
    const notes = [...csv.notes, ...describeSkippedColumns(plan)];
    return { ...csv, plan, header, notes, rows: () => rowsAfterHeader(csv), close: input.close };
  } catch (error) {
    await input.close();
    throw error;
  }
}

async function readHeader(csv: CsvFile, fields: FieldSet): Promise<CsvRecord> {
  for await (const { records } of csv.records()) {
    for (const header of records) {
      if (header.error === undefined) return header;
      throw new UsageError(`the header cannot be read: line ${header.line}: ${header.error}`);
    }
  }
  throw new UsageError(
    `${csv.input.name} is empty`,
    `its first row must name the columns, at least ${fields.required.join(', ')}`,
  );
}

function describeSkippedColumns(plan: ColumnPlan): string[] {
  if (plan.skipped.length === 0) return [];
  return [`skipping columns that only the server sets: ${plan.skipped.join(', ')}`];
}

async function* rowsAfterHeader(csv: CsvFile): AsyncGenerator<RecordBatch> {
  let isHeaderNext = true;
  function* withoutHeader(records: Iterable<CsvRecord>): Generator<CsvRecord> {
    for (const record of records) {
      if (!isHeaderNext) yield record;
      isHeaderNext = false;
    }
  }
  for await (const batch of csv.records()) {
    yield isHeaderNext ? { ...batch, records: withoutHeader(batch.records) } : batch;
  }
}
