/** One line of CSV (RFC 4180) without its line end. */
export function formatCsvLine(cells: readonly string[], delimiter = ','): string {
  return cells.map((cell) => formatCsvCell(cell, delimiter)).join(delimiter);
}

function formatCsvCell(cell: string, delimiter: string): string {
  if (cell === '') return cell;
  const needsQuotes = cell.includes(delimiter) || /["\r\n]/.test(cell) || cell !== cell.trim();
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Formats rows as a file of CSV, in which no cell starts a formula. */
export function formatCsvFile(rows: readonly (readonly (string | number)[])[]): string {
  const lines = rows.map((cells) => formatCsvLine(cells.map((cell) => guardFormula(String(cell)))));
  return `${lines.join('\n')}\n`;
}

/** The column of failed rows with their reasons. An import of the corrected rows ignores it. */
export const errorColumn = 'error';

/** Returns a row of a file with its reason as the last cell. */
export function withReason(raw: string, reason: string, delimiter: string): string {
  return `${raw}${delimiter}${formatCsvLine([guardFormula(reason)], delimiter)}`;
}

// Spreadsheets evaluate a cell that starts with one of these characters as a formula.
const guardableStart = /^'*[=+\-@\t\r]/;
const guardedStart = /^'+[=+\-@\t\r]/;

/** Adds an apostrophe to a cell that a spreadsheet would evaluate as a formula. */
export function guardFormula(cell: string): string {
  return guardableStart.test(cell) ? `'${cell}` : cell;
}

/** Removes the apostrophe of {@link guardFormula}. */
export function unguardFormula(cell: string): string {
  return cell.charCodeAt(0) === 0x27 && guardedStart.test(cell) ? cell.slice(1) : cell;
}
