import { CliError, UsageError } from '../cli-error.js';
import { quoteCell } from './cell-values.js';
import type { CsvFile } from './csv-file.js';

/** The ids in a file: its column `id`, or its first column when it has no header. */
export async function* readIds(csv: CsvFile): AsyncGenerator<string> {
  let column: number | undefined;
  for await (const { records } of csv.records()) {
    for (const { line, cells, fault } of records) {
      if (fault !== undefined) throw new CliError(`line ${line}: ${fault}`);
      if (column === undefined) {
        column = cells.findIndex((cell) => cell.trim().toLowerCase() === 'id');
        if (column !== -1) continue;
        column = 0;
      }
      yield checkId(cells[column]?.trim() ?? '', `line ${line}: `);
    }
  }
}

export function checkId(text: string, place = ''): string {
  if (/^[1-9]\d{0,15}$/.test(text)) return text;
  throw new UsageError(`${place}${quoteCell(text)} is no id of a link`, 'ids are whole numbers');
}
