import { formatCount } from '../format.js';
import { parseTags, unguardFormula } from './cell-values.js';
import type { Column } from './column.js';
import type { ColumnPlan } from './column-plan.js';
import type { CsvRecord } from './csv-reader.js';
import {
  type ConvertedRow,
  type ForeignCells,
  type LinkRules,
  toImportedLink,
} from './imported-link.js';
import { isSet } from './link-sources.js';

export interface ConvertOptions {
  /** The cell that means null. An update uses it to clear a field. */
  readonly nullCell?: string;
  /** Set for the links of another shortener. */
  readonly links?: LinkRules;
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
      error: `the row has ${formatCount(cells.length, 'cell')}, the header ${formatCount(columns.length, 'column')}`,
    };
  }
  const item: Record<string, unknown> = {};
  const foreign: ForeignCells = {};
  let utm: Record<string, unknown> | undefined;
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index];
    const cell = cells[index]?.trim();
    if (!column || !cell || column.kind === 'ignored' || cell === plan.source?.nullCell) continue;
    if (column.kind === 'unnamed') {
      return { error: `column ${index + 1} has a value but no name in the header` };
    }
    if (column.kind === 'utm') {
      utm ??= {};
      utm[column.name] = unguardFormula(cell);
      continue;
    }
    if (column.kind !== 'field') {
      addForeignCell(foreign, column, cell);
      continue;
    }
    if (cell === options.nullCell) {
      item[column.name] = null;
      continue;
    }
    const parsed = column.parse(cell);
    if (parsed.error !== undefined) return { error: `${column.name} ${parsed.error}` };
    item[column.name] =
      column.name === 'importedClicks'
        ? Math.max(Number(parsed.value), Number(item.importedClicks ?? 0))
        : parsed.value;
  }
  if (utm) item.customUtmParams = { ...(item.customUtmParams as object | undefined), ...utm };
  if (item.password && item.isPasswordProtected === undefined) item.isPasswordProtected = true;
  return options.links ? toImportedLink(item, foreign, options.links) : { item };
}

function addForeignCell(cells: ForeignCells, column: Column, cell: string): void {
  if (column.kind === 'domain') cells.domain = cell;
  else if (column.kind === 'paused') cells.isPaused ||= isSet(cell);
  else if (column.kind === 'locked') cells.isLocked ||= isSet(cell);
  else if (column.kind === 'shortUrl') {
    // The custom short URLs of Bitly are a list, the newest last.
    const parsed = cell.startsWith('[') ? parseTags(cell) : { value: [cell] };
    const shortUrl = 'value' in parsed ? (parsed.value as readonly string[]).at(-1) : undefined;
    if (column.isCustom) cells.customShortUrl ??= shortUrl;
    else cells.shortUrl ??= shortUrl;
  }
}
