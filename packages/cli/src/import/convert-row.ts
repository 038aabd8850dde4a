import { unguardFormula } from './cell-values.js';
import type { ColumnPlan } from './column-plan.js';
import type { CsvRecord } from './csv-reader.js';

export type ConvertedRow =
  | { readonly item: Record<string, unknown>; readonly error?: undefined }
  | { readonly error: string };

export interface ConvertOptions {
  /** The cell that means null. An update uses it to clear a field. */
  readonly nullCell?: string;
}

/** Converts a row to a request item, or returns the error of the row. */
export function convertRow(
  record: CsvRecord,
  plan: ColumnPlan,
  options: ConvertOptions = {},
): ConvertedRow {
  if (record.error !== undefined) return { error: record.error };
  const { columns } = plan;
  const { cells } = record;
  if (cells.length !== columns.length) {
    return {
      error: `the row has ${countOf(cells.length, 'cell')}, the header ${countOf(columns.length, 'column')}`,
    };
  }
  const item: Record<string, unknown> = {};
  let utm: Record<string, unknown> | undefined;
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index];
    const cell = cells[index]?.trim();
    if (!column || !cell || column.kind === 'ignored') continue;
    if (column.kind === 'unnamed') {
      return { error: `column ${index + 1} has a value but no name in the header` };
    }
    if (column.kind === 'utm') {
      utm ??= {};
      utm[column.name] = unguardFormula(cell);
      continue;
    }
    if (cell === options.nullCell) {
      item[column.name] = null;
      continue;
    }
    const parsed = column.parse(cell);
    if (parsed.error !== undefined) return { error: `${column.name} ${parsed.error}` };
    item[column.name] = parsed.value;
  }
  if (utm) item.customUtmParams = { ...(item.customUtmParams as object | undefined), ...utm };
  if (item.password && item.isPasswordProtected === undefined) item.isPasswordProtected = true;
  return { item };
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
