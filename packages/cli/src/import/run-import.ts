import type { UrlBulkCreateResult, UrlCreateRequest } from '@shorty/sdk';
import type { ImportChunk, ImportRow } from './plan-chunks.js';

type CreatedUrl = UrlBulkCreateResult['created'][number];

/** The result of one row. */
export type RowOutcome =
  | { readonly row: ImportRow; readonly created: CreatedUrl; readonly failure?: undefined }
  | {
      readonly row: ImportRow;
      readonly created?: undefined;
      readonly failure: { readonly message: string; readonly code: string };
    };

export type RowStatus = 'created' | 'skipped' | 'postponed' | 'failed';

/**
 * Returns what became of a row. `postponed`: the plan's quota refused it, and the next run sends it
 * again. `skipped`: its slug exists, and the import skips such rows.
 */
export function statusOf({ failure }: RowOutcome, skipsExisting: boolean): RowStatus {
  if (!failure) return 'created';
  if (failure.code === 'QUOTA_EXCEEDED') return 'postponed';
  return failure.code === 'SLUG_CONFLICT' && skipsExisting ? 'skipped' : 'failed';
}

export interface ChunkOutcome {
  readonly chunk: ImportChunk;
  readonly rows: readonly RowOutcome[];
  /** True when the server replayed the response of an earlier request. */
  readonly isReplayed: boolean;
}

export interface ChunkResponse {
  readonly result: UrlBulkCreateResult;
  readonly isReplayed: boolean;
}

export interface ImportPipeline {
  readonly chunks: AsyncIterable<ImportChunk>;
  /** Returns the rows to send of a chunk, by their index in the file. */
  readonly select: (chunk: ImportChunk) => readonly ImportRow[];
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly send: (
    items: UrlCreateRequest[],
    chunk: ImportChunk,
    signal: AbortSignal,
  ) => Promise<ChunkResponse>;
  /**
   * Called for each chunk in file order, one at a time. When it returns `stop`, no further chunk is
   * sent, and the outcomes of those in flight follow.
   */
  readonly onChunk: (outcome: ChunkOutcome) => Promise<'stop' | 'continue'>;
}

type Sent = { readonly outcome: ChunkOutcome } | { readonly error: unknown };

/** Sends chunks concurrently and passes their outcomes to `onChunk` in file order. */
export async function runImport(pipeline: ImportPipeline): Promise<void> {
  const { select, concurrency, onChunk } = pipeline;
  const stop = new AbortController();
  const signal = AbortSignal.any([pipeline.signal, stop.signal]);
  const pending: Promise<Sent>[] = [];
  let isStopped = false;
  const settleFirst = async () => {
    const sent = await pending.shift();
    if (!sent) return;
    if ('error' in sent) throw sent.error;
    if ((await onChunk(sent.outcome)) === 'stop') isStopped = true;
  };
  try {
    for await (const whole of pipeline.chunks) {
      const chunk = { ...whole, rows: select(whole) };
      if (chunk.rows.length === 0) continue;
      while (pending.length >= concurrency) await settleFirst();
      if (isStopped) break;
      signal.throwIfAborted();
      pending.push(sendChunk(chunk, pipeline, signal));
    }
    while (pending.length > 0) await settleFirst();
  } finally {
    stop.abort();
    await Promise.all(pending);
  }
}

async function sendChunk(
  chunk: ImportChunk,
  pipeline: ImportPipeline,
  signal: AbortSignal,
): Promise<Sent> {
  try {
    const items = chunk.rows.flatMap((row) => (row.item ? [row.item] : []));
    if (items.length === 0)
      return { outcome: { chunk, rows: matchResults(chunk), isReplayed: false } };
    // The server validates each item separately, so an invalid row fails alone.
    const response = await pipeline.send(items as unknown as UrlCreateRequest[], chunk, signal);
    const rows = matchResults(chunk, response.result);
    return { outcome: { chunk, rows, isReplayed: response.isReplayed } };
  } catch (error) {
    return { error };
  }
}

/** Matches rows with results. The indexes of the API count only the rows that were sent. */
function matchResults(chunk: ImportChunk, result?: UrlBulkCreateResult): RowOutcome[] {
  const created = new Map(result?.created.map((item) => [item.index, item]));
  const errors = new Map(result?.errors.map((item) => [item.index, item]));
  let position = 0;
  return chunk.rows.map((row): RowOutcome => {
    if (!row.item) {
      return { row, failure: { message: row.error ?? 'cannot be read', code: 'INVALID_ROW' } };
    }
    const index = position++;
    const made = created.get(index);
    if (made) return { row, created: made };
    const error = errors.get(index);
    if (error) return { row, failure: { message: error.error, code: error.code } };
    return {
      row,
      failure: { message: 'the response contains no result for the row', code: 'NO_ANSWER' },
    };
  });
}
