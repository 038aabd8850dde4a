import { CliError, UsageError } from '../cli-error.js';
import { quoteCell } from './cell-values.js';
import type { CsvFile } from './csv-file.js';

/** Yields the ids of a file: the `id` column, or the first column of a file without a header. */
export async function* readIds(csv: CsvFile): AsyncGenerator<string> {
  let column: number | undefined;
  for await (const { records } of csv.records()) {
    for (const { line, cells, error } of records) {
      if (error !== undefined) throw new CliError(`line ${line}: ${error}`);
      if (column === undefined) {
        column = cells.findIndex(isIdColumn);
        if (column !== -1) continue;
        column = 0;
      }
      yield checkId(cells[column]?.trim() ?? '', `line ${line}: `);
    }
  }
}

export function isIdColumn(title: string): boolean {
  return title.trim().toLowerCase() === 'id';
}

/** The next step for somebody who gives a slug or a short URL as an id. */
export const idHint = 'ids are whole numbers; shorty urls delete also takes slugs and short URLs';

export function checkId(text: string, place = ''): string {
  if (/^[1-9]\d{0,15}$/.test(text)) return text;
  throw new UsageError(`${place}${quoteCell(text)} is not a link id`, idHint);
}
