import { unguardFormula } from './cell-values.js';
import type { ColumnPlan } from './column-plan.js';
import type { CsvRecord } from './csv-reader.js';

export type ConvertedRow =
  | { readonly item: Record<string, unknown>; readonly fault?: undefined }
  | { readonly fault: string };

export interface ConvertOptions {
  /** A cell that stands for null, so that an update can clear a field. */
  readonly nullCell?: string;
}

/** Makes a request item of a row, or says why the row is none. */
export function convertRow(
  record: CsvRecord,
  plan: ColumnPlan,
  options: ConvertOptions = {},
): ConvertedRow {
  if (record.fault !== undefined) return { fault: record.fault };
  const { columns } = plan;
  const { cells } = record;
  if (cells.length !== columns.length) {
    return {
      fault: `the row has ${countOf(cells.length, 'cell')}, the header ${countOf(columns.length, 'column')}`,
    };
  }
  const item: Record<string, unknown> = {};
  let utm: Record<string, unknown> | undefined;
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index];
    const cell = cells[index]?.trim();
    if (!column || !cell || column.kind === 'ignored') continue;
    if (column.kind === 'unnamed') {
      return { fault: `column ${index + 1} holds a value but the header does not name it` };
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
    if (parsed.fault !== undefined) return { fault: `${column.name} ${parsed.fault}` };
    item[column.name] = parsed.value;
  }
  if (utm) item.customUtmParams = { ...(item.customUtmParams as object | undefined), ...utm };
  if (item.password && item.isPasswordProtected === undefined) item.isPasswordProtected = true;
  return { item };
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
