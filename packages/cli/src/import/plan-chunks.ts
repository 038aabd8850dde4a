import { createHash } from 'node:crypto';
import type { NotKept } from './column.js';
import type { ColumnPlan } from './column-plan.js';
import { type ConvertOptions, convertRow } from './convert-row.js';
import type { CsvRecord } from './csv-reader.js';

/** A row with its request item, or with the error that prevents one. */
export interface ImportRow {
  /** Position among the file's rows, from 0. */
  readonly index: number;
  readonly line: number;
  readonly raw: string;
  readonly item?: Readonly<Record<string, unknown>>;
  readonly error?: string;
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
  /** Digest of the request items. */
  readonly payloadDigest: string;
  /** The approximate position of the end of this chunk in the file. */
  readonly bytesRead: number;
}

/** The rows that one block of the file completes. */
export interface RecordBatch {
  readonly records: Iterable<CsvRecord>;
  /** Characters in the block. */
  readonly chars: number;
  /** Bytes of the file up to the end of the block. */
  readonly bytesRead: number;
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
  batches: AsyncIterable<RecordBatch>,
  plan: ColumnPlan,
  options: ConvertOptions = {},
): AsyncGenerator<ImportChunk> {
  let rows: ImportRow[] = [];
  let payloadBytes = 0;
  let payload: string[] = [];
  let chunkIndex = 0;
  let rowIndex = 0;
  let bytesRead = 0;
  const cut = (): ImportChunk => {
    const payloadDigest = createHash('sha256').update(payload.join('\n')).digest('hex');
    const chunk = { index: chunkIndex++, rows, payloadDigest, bytesRead };
    rows = [];
    payloadBytes = 0;
    payload = [];
    return chunk;
  };
  for await (const batch of batches) {
    const bytesBefore = bytesRead;
    const bytesPerChar = (batch.bytesRead - bytesBefore) / Math.max(1, batch.chars);
    let charsRead = 0;
    for (const record of batch.records) {
      const index = rowIndex++;
      charsRead += record.raw.length + 1;
      // The limit corrects for a row that started in the previous block.
      bytesRead = Math.min(batch.bytesRead, bytesBefore + Math.round(charsRead * bytesPerChar));
      const { line, raw } = record;
      const converted = convertRow(record, plan, options);
      if (converted.error !== undefined) {
        rows.push({ index, line, raw, error: converted.error });
        if (rows.length >= maxRows) yield cut();
        continue;
      }
      const json = JSON.stringify(converted.item);
      const bytes = Buffer.byteLength(json) + 1;
      if (bytes > maxPayloadBytes) {
        rows.push({ index, line, raw, error: 'the row is larger than 1 MB' });
        continue;
      }
      if (payloadBytes + bytes > maxPayloadBytes) yield cut();
      payload.push(json);
      const { item, host, note, notKept } = converted;
      rows.push({ index, line, raw, item, host, note, notKept });
      payloadBytes += bytes;
      if (payload.length >= maxItems || rows.length >= maxRows) yield cut();
    }
    bytesRead = batch.bytesRead;
  }
  if (rows.length > 0) yield cut();
}
