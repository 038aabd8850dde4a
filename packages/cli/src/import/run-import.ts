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
  /** The number of chunks that earlier runs completed. */
  readonly skipChunks: number;
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly send: (
    items: UrlCreateRequest[],
    chunk: ImportChunk,
    signal: AbortSignal,
  ) => Promise<ChunkResponse>;
  /** Called for each chunk in file order, one at a time. */
  readonly onChunk: (outcome: ChunkOutcome) => Promise<void>;
}

type Sent = { readonly outcome: ChunkOutcome } | { readonly error: unknown };

/** Sends chunks concurrently and passes their outcomes to `onChunk` in file order. */
export async function runImport(pipeline: ImportPipeline): Promise<void> {
  const { skipChunks, concurrency, onChunk } = pipeline;
  const stop = new AbortController();
  const signal = AbortSignal.any([pipeline.signal, stop.signal]);
  const pending: Promise<Sent>[] = [];
  const settleFirst = async () => {
    const sent = await pending.shift();
    if (!sent) return;
    if ('error' in sent) throw sent.error;
    await onChunk(sent.outcome);
  };
  try {
    for await (const chunk of pipeline.chunks) {
      if (chunk.index < skipChunks) continue;
      while (pending.length >= concurrency) await settleFirst();
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
