import type { NotKept } from './column.js';
import type { ColumnPlan } from './column-plan.js';
import { type ConvertOptions, convertRow } from './convert-row.js';
import type { CsvRow } from './read-csv.js';

/** A row with its request item, or with the error that prevents one. */
export interface ImportRow {
  /** Position among the file's rows, from 0. */
  readonly index: number;
  readonly line: number;
  readonly raw: string;
  readonly item?: Readonly<Record<string, unknown>>;
  readonly error?: string | undefined;
  /** The host of the link's old short URL. */
  readonly host?: string | undefined;
  /** Why the link is created paused, although it was not paused. */
  readonly note?: string | undefined;
  readonly notKept?: readonly NotKept[] | undefined;
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
    const place = { index: index++, line, raw };
    const converted = convertRow(record, plan, options);
    if (converted.error !== undefined) {
      rows.push({ ...place, error: converted.error });
    } else {
      const bytes = byteLength(JSON.stringify(converted.item));
      if (payloadBytes + bytes > maxPayloadBytes && items > 0) yield cut();
      rows.push({ ...place, ...converted });
      payloadBytes += bytes;
      items++;
    }
    if (items >= maxItems || rows.length >= maxRows) yield cut();
  }
  if (rows.length > 0) yield cut();
}

const encoder = new TextEncoder();

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
