import { parseTags, unguardFormula } from './cell-values.js';
import type { Column, SourceRow } from './column.js';
import type { ColumnPlan } from './column-plan.js';
import {
  type ConvertedRow,
  type ForeignCells,
  type LinkRules,
  toImportedLink,
} from './imported-link.js';
import { isSet } from './link-settings.js';
import type { CsvRow } from './read-csv.js';

export interface ConvertOptions {
  /** The cell that means null. An update uses it to clear a field. */
  readonly nullCell?: string;
  /** Set for the links of another shortener. */
  readonly links?: LinkRules;
}

/** Converts a row to a request item, or returns the error of the row. */
export function convertRow(
  record: CsvRow,
  plan: ColumnPlan,
  options: ConvertOptions = {},
): ConvertedRow {
  const { columns, titles, names } = plan;
  const { cells } = record;
  if (cells.length !== columns.length) {
    return {
      error: `the row has ${cells.length} of ${columns.length} cells`,
    };
  }
  const item: Record<string, unknown> = {};
  const foreign: ForeignCells = { notKept: [] };
  const settings: SettingCell[] = [];
  const row = new Map<string, string>();
  let utm: Record<string, unknown> | undefined;
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index];
    const cell = cells[index]?.trim();
    if (!column || !cell || cell === plan.source?.nullCell) continue;
    if (column.kind === 'invalid') return { error: unguardFormula(cell) };
    const title = titles[index] ?? '';
    if (plan.source && !(column.kind === 'ignored' && !column.isPart)) {
      row.set(names[index] ?? '', unguardFormula(cell));
    }
    if (column.kind === 'ignored') continue;
    if (column.kind === 'unnamed') {
      return { error: `column ${index + 1} has a value but no name in the header` };
    }
    if (column.kind === 'utm') {
      utm ??= {};
      utm[column.name] = unguardFormula(cell);
      continue;
    }
    if (column.kind === 'setting') {
      settings.push({ title, cell, column });
      continue;
    }
    if (column.kind !== 'field') {
      addForeignCell(foreign, { title, cell, column });
      continue;
    }
    if (cell === options.nullCell) {
      item[column.name] = null;
      continue;
    }
    const parsed = column.parse(cell, plan.cells);
    if (parsed.error !== undefined) return { error: `${column.name} ${parsed.error}` };
    item[column.name] =
      column.name === 'importedClicks'
        ? Math.max(Number(parsed.value), Number(item.importedClicks ?? 0))
        : parsed.value;
  }
  if (utm) item.customUtmParams = { ...(item.customUtmParams as object | undefined), ...utm };
  if (item.password && item.isPasswordProtected === undefined) item.isPasswordProtected = true;
  if (!options.links) return { item };
  const error = applySettings(item, foreign, settings, { cells: row, now: options.links.now });
  return error === undefined ? toImportedLink(item, foreign, options.links) : { error };
}

interface TitledCell<Kind extends Column = Column> {
  readonly title: string;
  readonly cell: string;
  readonly column: Kind;
}

type SettingCell = TitledCell<Column & { kind: 'setting' }>;

/** Sets the fields of the settings of a row, or returns the error of the row. */
function applySettings(
  item: Record<string, unknown>,
  foreign: ForeignCells,
  settings: readonly SettingCell[],
  row: SourceRow,
): string | undefined {
  const rules: unknown[] = [];
  for (const { title, cell, column } of settings.toSorted(byOrder)) {
    const result = column.read(cell, row);
    if (result.error !== undefined) return `${title} ${result.error}`;
    Object.assign(item, result.fields);
    rules.push(...(result.rules ?? []));
    for (const reason of result.notKept ?? []) foreign.notKept.push({ setting: title, reason });
    foreign.isLocked ||= result.isLocked;
  }
  if (rules.length > 0) item.rules = rules;
  return undefined;
}

function byOrder(a: SettingCell, b: SettingCell): number {
  return a.column.order - b.column.order;
}

function addForeignCell(cells: ForeignCells, { title, cell, column }: TitledCell): void {
  if (column.kind === 'domain') cells.domain = cell;
  else if (column.kind === 'paused') cells.isPaused ||= isSet(cell);
  else if (column.kind === 'locked') cells.isLocked ||= isSet(cell);
  else if (column.kind === 'lost') {
    if (isSet(cell)) cells.notKept.push({ setting: title, reason: column.reason });
  } else if (column.kind === 'shortUrl') {
    // The custom short URLs of Bitly are a list, the newest last.
    const parsed = cell.startsWith('[') ? parseTags(cell) : { value: [cell] };
    const urls = 'value' in parsed ? (parsed.value as readonly string[]) : [];
    const shortUrl = urls.at(-1);
    if (column.isCustom) cells.customShortUrl ??= shortUrl;
    else cells.shortUrl ??= shortUrl;
    for (const url of urls.slice(0, -1)) {
      cells.notKept.push({ setting: title, reason: `a link has one short URL: not ${url}` });
    }
  }
}
