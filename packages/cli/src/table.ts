import { cutText, displayWidth, fitText } from './text-width.js';

const gap = '  ';
// A narrower column shows nothing useful, so the last columns are left out instead.
const narrowest = 8;

export interface TableColumn {
  readonly title: string;
  /** Whether its cells are shortened when the terminal is too narrow. Ids and links are not. */
  readonly isShortened: boolean;
}

/** The columns of a table that are shown, and their widths. */
export interface TableLayout {
  readonly columns: readonly { readonly index: number; readonly width: number }[];
  /** The titles of the columns that do not fit. */
  readonly hidden: readonly string[];
}

/**
 * Chooses the widths of columns for these rows. With a `maxWidth`, shortens the widest columns, and
 * leaves out the last ones if that is not enough. The first columns that are not shortened are always
 * shown: a longer link wraps, because a list of ids alone is of no use.
 */
export function layOutTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  maxWidth = Number.POSITIVE_INFINITY,
): TableLayout {
  const natural = columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  const firstShortened = columns.findIndex(({ isShortened }) => isShortened);
  const always = firstShortened === -1 ? columns.length : firstShortened;
  for (let count = columns.length; count > always; count--) {
    const widths = shorten(columns.slice(0, count), natural.slice(0, count), maxWidth);
    if (widths) return layoutOf(widths, columns);
  }
  if (always > 0) return layoutOf(natural.slice(0, always), columns);
  return layoutOf([Math.min(natural[0] ?? 0, maxWidth)], columns);
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

function layoutOf(widths: readonly number[], columns: readonly TableColumn[]): TableLayout {
  return {
    columns: widths.map((width, index) => ({ index, width })),
    hidden: columns.slice(widths.length).map(({ title }) => title),
  };
}

/** Returns widths whose sum fits, by shortening the widest columns; undefined if they do not fit. */
function shorten(
  columns: readonly TableColumn[],
  natural: readonly number[],
  maxWidth: number,
): number[] | undefined {
  const available = maxWidth - gap.length * (columns.length - 1);
  const widths = [...natural];
  const sum = () => widths.reduce((total, width) => total + width, 0);
  while (sum() > available) {
    let widest = -1;
    for (const [index, { isShortened }] of columns.entries()) {
      const width = widths[index] ?? 0;
      if (isShortened && width > narrowest && width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
