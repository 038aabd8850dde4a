import { guardFormula } from './cell-values.js';
import { formatCsvLine } from './csv-line.js';

/** Formats rows as a file of CSV, in which no cell starts a formula. */
export function formatCsvFile(rows: readonly (readonly (string | number)[])[]): string {
  const lines = rows.map((cells) => formatCsvLine(cells.map((cell) => guardFormula(String(cell)))));
  return `${lines.join('\n')}\n`;
}
