import { displayWidth, fitText } from '@shorty/report';

const gap = '  ';
// A narrower cell shows nothing useful.
const narrowest = 8;

export interface TableColumn {
  readonly title: string;
  /** Whether its cells are never cut, because users copy its ids or links. */
  readonly isWhole: boolean;
}

/**
 * Returns the widths of columns for these rows. While the table is wider than `maxWidth`, the widest
 * column that may be cut gets narrower; a table that is still too wide is broken by the terminal.
 */
export function columnWidths(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
): number[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  let excess = widths.reduce((sum, width) => sum + width + gap.length, -gap.length) - maxWidth;
  while (excess > 0) {
    const cuttable = widths.map((width, index) => (columns[index]?.isWhole ? 0 : width));
    const widest = cuttable.indexOf(Math.max(...cuttable));
    if ((cuttable[widest] ?? 0) <= narrowest) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess--;
  }
  return widths;
}

/** Returns one line of a table, without spaces at its end. A whole cell may be wider than its column. */
export function tableLine(
  columns: readonly TableColumn[],
  widths: readonly number[],
  cells: readonly string[],
): string {
  const line = columns.map(({ isWhole }, index) => {
    const width = widths[index] ?? 0;
    const cell = cells[index] ?? '';
    return fitText(cell, isWhole ? Math.max(width, displayWidth(cell)) : width);
  });
  return line.join(gap).trimEnd();
}
