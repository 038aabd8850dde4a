/** One line of CSV (RFC 4180) without its line end. */
export function formatCsvLine(cells: readonly string[], delimiter = ','): string {
  return cells.map((cell) => formatCsvCell(cell, delimiter)).join(delimiter);
}

function formatCsvCell(cell: string, delimiter: string): string {
  if (cell === '') return cell;
  const needsQuotes = cell.includes(delimiter) || /["\r\n]/.test(cell) || cell !== cell.trim();
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}
