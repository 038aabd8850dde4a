import {
  cutText,
  displayWidth,
  fitText,
  shownWidth,
  splitWords,
  wrapPieces,
} from './text-width.js';

const gap = '  ';
// A narrower column shows nothing useful, so the last columns are left out instead.
const narrowest = 8;
// A text of at most this width is a word, such as a state, and is shown whole or not at all.
const shortText = 12;
const indentation = '  ';

export interface TableColumn {
  readonly title: string;
  /** Whether every table has it, because users copy its ids or links. */
  readonly isWhole: boolean;
  /** Whether its cells are shortened when the terminal is too narrow: texts, but no ids and numbers. */
  readonly isShortened: boolean;
}

/** The columns of a table that are shown, and their widths. */
export interface TableLayout {
  readonly columns: readonly { readonly index: number; readonly width: number }[];
  /** The titles of the columns that do not fit. */
  readonly hidden: readonly string[];
}

/**
 * Chooses the widths of columns for these rows. With a `maxWidth`, shortens the widest texts, and
 * leaves out the last columns if that is not enough. A title is never shortened. Returns undefined if
 * not even the first columns fit: then each row is printed as a record.
 */
export function layOutTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  maxWidth = Number.POSITIVE_INFINITY,
): TableLayout | undefined {
  const natural = columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  const firstOther = columns.findIndex(({ isWhole }) => !isWhole);
  const whole = firstOther === -1 ? columns.length : firstOther;
  // A list of ids alone is of no use.
  const always = Math.min(columns.length, Math.max(2, whole));
  for (let count = columns.length; count >= always; count--) {
    const widths = shorten(columns.slice(0, count), natural.slice(0, count), maxWidth);
    if (!widths) continue;
    return {
      columns: widths.map((width, index) => ({ index, width })),
      hidden: columns.slice(count).map(({ title }) => title),
    };
  }
  return undefined;
}

/** Returns whether a row needs no wider columns, except for texts that are shortened. */
export function fitsLayout(
  { columns: shown }: TableLayout,
  columns: readonly TableColumn[],
  cells: readonly string[],
): boolean {
  return shown.every(
    ({ index, width }) =>
      columns[index]?.isShortened === true || displayWidth(cells[index] ?? '') <= width,
  );
}

/** Returns one line of a table, without spaces at its end. */
export function tableLine({ columns }: TableLayout, cells: readonly string[]): string {
  const last = columns.at(-1);
  return columns
    .map(({ index, width }) => {
      const cell = cells[index] ?? '';
      return index === last?.index ? cutText(cell, width) : fitText(cell, width);
    })
    .join(gap)
    .trimEnd();
}

/** A field of a record. */
export interface RecordField {
  readonly name: string;
  /** Printable text. It is broken between its pieces. */
  readonly pieces: readonly string[];
}

export interface RecordShape {
  readonly maxWidth: number;
  /** The names take at least this many columns. */
  readonly minNameWidth?: number;
  readonly styleName: (name: string) => string;
}

/**
 * Returns the lines of a record: a name and its value on each. A value that is too wide continues
 * below; one with a piece that does not fit there begins on the next line.
 */
export function recordLines(
  fields: readonly RecordField[],
  { maxWidth, minNameWidth = 0, styleName }: RecordShape,
): string[] {
  const nameWidth = Math.max(minNameWidth, ...fields.map(({ name }) => displayWidth(name)));
  const left = nameWidth + gap.length;
  return fields.flatMap(({ name, pieces }) => {
    const isBeside = pieces.every((piece) => shownWidth(piece.trimEnd()) <= maxWidth - left);
    if (!isBeside) {
      const lines = wrapPieces(pieces, maxWidth - indentation.length);
      return [styleName(name), ...lines.map((line) => indentation + line)];
    }
    const padding = ' '.repeat(nameWidth - displayWidth(name));
    const [first = '', ...more] = wrapPieces(pieces, maxWidth - left);
    return [
      `${styleName(name + padding)}${gap}${first}`,
      ...more.map((line) => ' '.repeat(left) + line),
    ];
  });
}

/** Returns the pieces of a value: the words of a text, the items of a list, the fields of JSON. */
export function splitValue(value: unknown, text: string): string[] {
  if (Array.isArray(value)) return text.split(/(?<=\|)/);
  if (typeof value === 'object' && value !== null) return text.split(/(?<=,)/);
  return splitWords(text);
}

/** Returns widths whose sum fits, by shortening the widest texts; undefined if they do not fit. */
function shorten(
  columns: readonly TableColumn[],
  natural: readonly number[],
  maxWidth: number,
): number[] | undefined {
  const available = maxWidth - gap.length * (columns.length - 1);
  const widths = [...natural];
  const minimums = columns.map(({ title }, index) => {
    const width = natural[index] ?? 0;
    return Math.max(displayWidth(title), width <= shortText ? width : narrowest);
  });
  const sum = () => widths.reduce((total, width) => total + width, 0);
  while (sum() > available) {
    let widest = -1;
    for (const [index, { isShortened }] of columns.entries()) {
      const width = widths[index] ?? 0;
      const isWider = width > (minimums[index] ?? 0) && width > (widths[widest] ?? 0);
      if (isShortened && isWider) widest = index;
    }
    if (widest === -1) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
