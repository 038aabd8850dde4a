import type { ImportRow } from './plan-chunks.js';

/** The result of one row: the link, or why there is none. */
export type RowResult<Created> =
  | { readonly row: ImportRow; readonly created: Created; readonly failure?: undefined }
  | {
      readonly row: ImportRow;
      readonly created?: undefined;
      readonly failure: { readonly message: string; readonly code: string };
    };

/** What the API answers to a bulk request. */
export interface BulkResult<Created> {
  readonly created: readonly (Created & { readonly index: number })[];
  readonly errors: readonly {
    readonly index: number;
    readonly error: string;
    readonly code: string;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
  }[];
}

/** Matches rows with results. The indexes of the API count only the rows that were sent. */
export function matchResults<Created>(
  rows: readonly ImportRow[],
  result?: BulkResult<Created>,
): RowResult<Created>[] {
  const created = new Map(result?.created.map((item) => [item.index, item]));
  const errors = new Map(result?.errors.map((item) => [item.index, item]));
  let position = 0;
  return rows.map((row): RowResult<Created> => {
    if (!row.item) {
      return { row, failure: { message: row.error ?? 'cannot be read', code: 'INVALID_ROW' } };
    }
    const index = position++;
    const error = errors.get(index);
    if (error) return { row, failure: { message: reasonOf(error), code: error.code } };
    const made = created.get(index);
    if (made) return { row, created: made };
    return {
      row,
      failure: { message: 'the response contains no result for the row', code: 'NO_ANSWER' },
    };
  });
}

/** Returns every reason of a refused row, of which the message has the first. */
function reasonOf({ error, details = [] }: BulkResult<unknown>['errors'][number]): string {
  if (details.length < 2) return error;
  return details.map(({ path, message }) => `${path} ${message}`).join('; ');
}
