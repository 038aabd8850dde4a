import { proposeUrl } from './parse-url.js';
import { unguardFormula } from './write-csv.js';

/** The API value of a cell, or the reason why the cell is invalid. */
export interface CellValue {
  readonly value?: unknown;
  readonly error?: string;
}

/** How cells are read that can mean several things. */
export interface CellOptions {
  /** The order of day and month in dates such as 12/31/2026. */
  readonly dates?: 'dmy' | 'mdy' | undefined;
  /** The time zone of dates, and of times without a zone; UTC by default. */
  readonly timeZone?: string | undefined;
  /** Whether a target without a scheme gets one. */
  readonly addsScheme?: boolean | undefined;
  /** Called for a target without a scheme that could get one. */
  readonly onNoScheme?: (cell: string, url: string) => void;
  /** Called for a date without a time that is read as the end of its day. */
  readonly onEndOfDay?: (cell: string, instant: string) => void;
}

export type ParseCell = (cell: string, options?: CellOptions) => CellValue;

// Also as spreadsheets in German, French, Spanish, Italian, Portuguese and Dutch write them.
const yes = new Set('true yes 1 wahr ja vrai oui verdadero vero verdadeiro waar'.split(' '));
const no = new Set('false no 0 falsch nein faux non falso onwaar nee'.split(' '));

export const parseText: ParseCell = (cell) => ({ value: unguardFormula(cell) });

/** Parses a URL, which may have no scheme. */
export const parseWebUrl: ParseCell = (cell, { addsScheme, onNoScheme } = {}) => {
  const text = unguardFormula(cell);
  const proposal = proposeUrl(text);
  if (addsScheme) return { value: proposal ?? text };
  if (proposal !== undefined) onNoScheme?.(text, proposal);
  return { value: text };
};

export const parseBoolean: ParseCell = (cell) => {
  const word = cell.toLowerCase();
  if (yes.has(word)) return { value: true };
  if (no.has(word)) return { value: false };
  return { error: `must be true, false, yes, no, 1 or 0, not ${quoteCell(cell)}` };
};

export const parseInteger: ParseCell = (cell) =>
  /^\d{1,15}$/.test(cell)
    ? { value: Number(cell) }
    : { error: `must be a whole number, not ${quoteCell(cell)}` };

/** Parses `a|b`, or `a,b` where there is no `|`, or a JSON array. */
export const parseTags: ParseCell = (cell) => {
  const text = unguardFormula(cell);
  if (text.startsWith('[')) {
    const list = parseJson(text);
    if (Array.isArray(list) && list.every((tag) => typeof tag === 'string')) return { value: list };
  }
  return {
    value: text
      .split(text.includes('|') ? '|' : ',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  };
};

/** Parses an object in JSON. The server validates its fields. */
export const parseJsonObject: ParseCell = (cell) => {
  const value = parseJson(unguardFormula(cell));
  if (isObject(value)) return { value };
  return { error: `must be a JSON object such as {"title":"Sale"}, not ${quoteCell(cell)}` };
};

/** Parses a list in JSON. The server validates its items. */
export const parseJsonList: ParseCell = (cell) => {
  const value = parseJson(unguardFormula(cell));
  if (Array.isArray(value)) return { value };
  const example = '[{"when":{"country":"DE"},"targetUrl":"https://example.com/de"}]';
  return { error: `must be a JSON list such as ${example}, not ${quoteCell(cell)}` };
};

export function quoteCell(cell: string): string {
  return JSON.stringify(cell.length > 60 ? `${cell.slice(0, 57)}...` : cell);
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports the expected format.
    return undefined;
  }
}
