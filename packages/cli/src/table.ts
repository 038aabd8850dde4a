import { displayWidth, fitText } from '@shorty/report';

const gap = '  ';
// A narrower cell shows nothing useful. It holds the date of a time.
const narrowest = 12;

export interface TableColumn {
  readonly title: string;
  /** Whether its cells are never cut, because users copy its ids or links. */
  readonly isWhole: boolean;
}

/**
 * Returns the widths of the columns of a table for these rows. The columns stand in order of importance: the
 * last ones are left out while the table is wider than `maxWidth` with its cells cut, unless all are wanted.
 * Then the widest column that may be cut gets narrower. What is still too wide is broken by the terminal.
 */
export function columnWidths(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
  wantsAll: boolean,
): number[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  const least = widths.map((width, index) => {
    const { title = '', isWhole = false } = columns[index] ?? {};
    return isWhole ? width : Math.min(width, Math.max(narrowest, displayWidth(title)));
  });
  while (!wantsAll && least.length > 1 && lineLength(least) > maxWidth) least.pop();
  widths.length = least.length;
  for (let excess = lineLength(widths) - maxWidth; excess > 0; excess--) {
    const cuttable = widths.map((width, index) => (width > (least[index] ?? 0) ? width : 0));
    const widest = cuttable.indexOf(Math.max(...cuttable));
    if (cuttable[widest] === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function lineLength(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + gap.length, -gap.length);
}

/** Returns one line of a table, without spaces at its end. A whole cell may be wider than its column. */
export function tableLine(
  columns: readonly TableColumn[],
  widths: readonly number[],
  cells: readonly string[],
): string {
  const line = widths.map((width, index) => {
    const cell = cells[index] ?? '';
    return fitText(cell, columns[index]?.isWhole ? Math.max(width, displayWidth(cell)) : width);
  });
  return line.join(gap).trimEnd();
}
