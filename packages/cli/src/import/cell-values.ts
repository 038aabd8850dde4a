/** What a cell means to the API, or why it means nothing. */
export type CellValue =
  | { readonly value: unknown; readonly fault?: undefined }
  | { readonly fault: string };

export type ParseCell = (cell: string) => CellValue;

const yes = new Set(['true', 'yes', '1']);
const no = new Set(['false', 'no', '0']);

export const parseText: ParseCell = (cell) => ({ value: unguardFormula(cell) });

export const parseBoolean: ParseCell = (cell) => {
  const word = cell.toLowerCase();
  if (yes.has(word)) return { value: true };
  if (no.has(word)) return { value: false };
  return { fault: `must be true, false, yes, no, 1 or 0, not ${quoteCell(cell)}` };
};

export const parseInteger: ParseCell = (cell) =>
  /^\d{1,9}$/.test(cell)
    ? { value: Number(cell) }
    : { fault: `must be a whole number, not ${quoteCell(cell)}` };

/** `a|b`, or a JSON list where a tag holds a `|` itself. */
export const parseTags: ParseCell = (cell) => {
  const text = unguardFormula(cell);
  if (text.startsWith('[')) {
    const list = parseJson(text);
    if (Array.isArray(list) && list.every((tag) => typeof tag === 'string')) return { value: list };
  }
  return {
    value: text
      .split('|')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  };
};

/** The cell for a list of tags that {@link parseTags} reads back as it was. */
export function formatTags(tags: readonly string[]): string {
  const isPlain = tags.every(
    (tag) => tag !== '' && !tag.includes('|') && tag === tag.trim() && !tag.startsWith('['),
  );
  return isPlain ? tags.join('|') : JSON.stringify(tags);
}

export const parseStringRecord: ParseCell = (cell) => {
  const record = parseJson(unguardFormula(cell));
  if (typeof record === 'object' && record !== null && !Array.isArray(record)) {
    return { value: record };
  }
  return { fault: `must be a JSON object such as {"utm_id":"7"}, not ${quoteCell(cell)}` };
};

// A spreadsheet runs a cell that begins with one of these as a formula.
const formulaStart = /^[=+\-@\t\r]/;
const guardedStart = /^'+[=+\-@\t\r]/;

/** Makes a cell safe to open in a spreadsheet: a leading apostrophe marks it as text. */
export function guardFormula(cell: string): string {
  return formulaStart.test(cell) || guardedStart.test(cell) ? `'${cell}` : cell;
}

/** Takes back {@link guardFormula}, so that an exported file imports as it was. */
export function unguardFormula(cell: string): string {
  return cell.charCodeAt(0) === 0x27 && guardedStart.test(cell) ? cell.slice(1) : cell;
}

export function quoteCell(cell: string): string {
  return JSON.stringify(cell.length > 60 ? `${cell.slice(0, 57)}...` : cell);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the caller says what the cell should have held.
    return undefined;
  }
}
