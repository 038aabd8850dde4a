import type { JsonText } from '../contract/json-text.js';
import type { LinePage } from '../storage/list-page.js';
import { toRecord, type UrlPresentation, type UrlRecord } from './present-url.js';
import type { ShortUrl } from './short-url.js';
import type { UrlExportFormat } from './url-list-contract.js';
import { createFields, urlRecord } from './url-schemas.js';

export interface ExportPage extends Omit<LinePage, 'text'> {
  readonly text: JsonText<string>;
}

export interface UrlExportPresentation extends Omit<UrlPresentation, 'view'> {
  readonly format: UrlExportFormat;
}

/** The columns of a CSV file: the fields of records that POST takes, then those that the server sets. */
const columns = [
  ...new Set([...Object.keys(createFields), ...Object.keys(urlRecord.shape)]),
].filter((name) => name in urlRecord.shape);

export function exportLineOf({ format, origins, now }: UrlExportPresentation) {
  return (url: ShortUrl) => {
    const record = toRecord(origins, url, now);
    return format === 'csv' ? toCsvLine(record) : `${JSON.stringify(record)}\n`;
  };
}

export function exportHeaderOf({ format }: UrlExportPresentation): string {
  return format === 'csv' ? `${columns.join()}\n` : '';
}

/** Returns a line of CSV (RFC 4180, with a line feed at the end). */
function toCsvLine({ takenDown, ...record }: UrlRecord): string {
  const values: Readonly<Record<string, unknown>> = { ...record, takenDown: takenDown?.at ?? null };
  // An empty cell is null, which `join` writes as an empty text.
  return `${columns.map((name) => toCell(values[name])).join()}\n`;
}

function toCell(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value !== 'object') return escapeCell(String(value));
  if (Object.keys(value).length === 0) return null;
  return escapeCell(Array.isArray(value) ? formatList(value) : JSON.stringify(value));
}

/**
 * Returns a list as `a|b`, or as JSON if an item would be split or trimmed, or is none of a text or number.
 * A final `|` says that the commas of a single item separate nothing.
 */
function formatList(list: readonly unknown[]): string {
  const isPlain = list.every(
    (item) =>
      typeof item === 'number' ||
      (typeof item === 'string' && item === item.trim() && /^[^|[][^|]*$/.test(item)),
  );
  if (!isPlain) return JSON.stringify(list);
  const text = list.join('|');
  return text.includes(',') && list.length === 1 ? `${text}|` : text;
}

// Quotes, separators and spaces at an end, and what a spreadsheet takes for the start of a formula.
const special = /[",\r\n]|^[\s'=+\-@]|\s$/;
const formula = /^'*[=+\-@\t\r]/;

/**
 * Returns a text as a cell. An apostrophe precedes a text that a spreadsheet would evaluate as a formula;
 * an import removes it.
 */
function escapeCell(text: string): string {
  if (!special.test(text)) return text;
  const cell = formula.test(text) ? `'${text}` : text;
  const needsQuotes = /[",\r\n]/.test(cell) || cell !== cell.trim();
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}
