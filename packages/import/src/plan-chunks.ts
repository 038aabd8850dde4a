import { quoteCell } from './cell-values.js';
import type { ColumnPlan } from './column-plan.js';
import { type ConvertedRow, type ConvertOptions, convertRow } from './convert-row.js';
import type { CsvRow } from './read-csv.js';

export interface ImportRow extends ConvertedRow {
  /** Position among the file's rows, from 0. */
  readonly index: number;
  readonly line: number;
  readonly raw: string;
}

/** The rows of one request, including invalid rows, in file order. */
export interface ImportChunk {
  readonly index: number;
  readonly rows: readonly ImportRow[];
}

const maxItems = 100;
const maxPayloadBytes = 1_000_000;
// Invalid rows are not sent, but also need a limit per chunk.
const maxRows = 500;
const encoder = new TextEncoder();

/**
 * Groups rows into requests. The grouping depends on the file only, so that a repeated import sends
 * the same requests with the same keys.
 */
export async function* planChunks(
  records: AsyncIterable<CsvRow>,
  plan: ColumnPlan,
  options: ConvertOptions = {},
): AsyncGenerator<ImportChunk> {
  let rows: ImportRow[] = [];
  let items = 0;
  let payloadBytes = 0;
  let chunkIndex = 0;
  let index = 0;
  const cut = (): ImportChunk => {
    const chunk = { index: chunkIndex++, rows };
    rows = [];
    items = 0;
    payloadBytes = 0;
    return chunk;
  };
  for await (const record of records) {
    const { line, raw } = record;
    const row = { index: index++, line, raw, ...convertRow(record, plan, options) };
    if (row.item) {
      const { length } = encoder.encode(JSON.stringify(row.item));
      if (payloadBytes + length > maxPayloadBytes && items > 0) yield cut();
      payloadBytes += length;
      items++;
    }
    rows.push(row);
    if (items >= maxItems || rows.length >= maxRows) yield cut();
  }
  if (rows.length > 0) yield cut();
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Replaces the hostnames of domains in rows by their ids, after the grouping, which must not depend on
 * the domains. A row whose domain is not found fails.
 */
export async function* withDomainIds(
  chunks: AsyncIterable<ImportChunk>,
  findId: (hostname: string) => Promise<string | undefined>,
): AsyncGenerator<ImportChunk> {
  const convert = async (row: ImportRow): Promise<ImportRow> => {
    const { item, ...place } = row;
    const name = item?.domainId;
    if (typeof name !== 'string' || uuid.test(name)) return row;
    const domainId = await findId(name.toLowerCase());
    if (domainId !== undefined) return { ...row, item: { ...item, domainId } };
    return { ...place, error: `there is no domain ${quoteCell(name)}` };
  };
  for await (const { index, rows } of chunks) {
    yield { index, rows: await Promise.all(rows.map(convert)) };
  }
}

/** The result of one row: the link, or why there is none. */
export interface RowResult<Created> {
  readonly row: ImportRow;
  readonly created?: Created;
  readonly failure?: { readonly message: string; readonly code: string };
}

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
    const fail = (message: string, code: string) => ({ row, failure: { message, code } });
    if (!row.item) return fail(row.error ?? 'cannot be read', 'INVALID_ROW');
    const index = position++;
    const error = errors.get(index);
    if (error) return fail(reasonOf(error), error.code);
    const made = created.get(index);
    if (made) return { row, created: made };
    return fail('the response contains no result for the row', 'NO_ANSWER');
  });
}

/** Returns every reason of a refused row, of which the message has the first. */
function reasonOf({ error, details = [] }: BulkResult<unknown>['errors'][number]): string {
  if (details.length < 2) return error;
  return details.map(({ path, message }) => `${path} ${message}`).join('; ');
}
