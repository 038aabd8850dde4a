import type { UrlBulkCreateResult, UrlCreateRequest } from '@shorty/sdk';
import type { ImportChunk, ImportRow } from './plan-chunks.js';

type CreatedUrl = UrlBulkCreateResult['created'][number];

/** What became of one row. */
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
  /** True where the server answered from memory and made nothing. */
  readonly isReplayed: boolean;
}

export interface ChunkAnswer {
  readonly result: UrlBulkCreateResult;
  readonly isReplayed: boolean;
}

export interface ImportPipeline {
  readonly chunks: AsyncIterable<ImportChunk>;
  /** Chunks at the beginning that an earlier run has done. */
  readonly skipChunks: number;
  /** Requests under way at once. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly send: (
    items: UrlCreateRequest[],
    chunk: ImportChunk,
    signal: AbortSignal,
  ) => Promise<ChunkAnswer>;
  /** Called for each chunk in the file's order, one at a time. */
  readonly onChunk: (outcome: ChunkOutcome) => Promise<void>;
}

type Sent = { readonly outcome: ChunkOutcome } | { readonly error: unknown };

/** Sends chunks, several at once, and hands over their outcomes in the file's order. */
export async function runImport(pipeline: ImportPipeline): Promise<void> {
  const { skipChunks, concurrency, onChunk } = pipeline;
  const stop = new AbortController();
  const signal = AbortSignal.any([pipeline.signal, stop.signal]);
  const underWay: Promise<Sent>[] = [];
  const settleFirst = async () => {
    const sent = await underWay.shift();
    if (!sent) return;
    if ('error' in sent) throw sent.error;
    await onChunk(sent.outcome);
  };
  try {
    for await (const chunk of pipeline.chunks) {
      if (chunk.index < skipChunks) continue;
      while (underWay.length >= concurrency) await settleFirst();
      signal.throwIfAborted();
      underWay.push(sendChunk(chunk, pipeline, signal));
    }
    while (underWay.length > 0) await settleFirst();
  } finally {
    stop.abort();
    await Promise.all(underWay);
  }
}

async function sendChunk(
  chunk: ImportChunk,
  pipeline: ImportPipeline,
  signal: AbortSignal,
): Promise<Sent> {
  try {
    const items = chunk.rows.flatMap((row) => (row.item ? [row.item] : []));
    if (items.length === 0) return { outcome: { chunk, rows: pair(chunk), isReplayed: false } };
    // The server checks each item by itself; a row that is no create request fails alone.
    const answer = await pipeline.send(items as unknown as UrlCreateRequest[], chunk, signal);
    const rows = pair(chunk, answer.result);
    return { outcome: { chunk, rows, isReplayed: answer.isReplayed } };
  } catch (error) {
    return { error };
  }
}

/** Puts rows and answers together: the API counts only the items that were sent. */
function pair(chunk: ImportChunk, result?: UrlBulkCreateResult): RowOutcome[] {
  const created = new Map(result?.created.map((item) => [item.index, item]));
  const errors = new Map(result?.errors.map((item) => [item.index, item]));
  let position = 0;
  return chunk.rows.map((row): RowOutcome => {
    if (!row.item) {
      return { row, failure: { message: row.fault ?? 'cannot be read', code: 'INVALID_ROW' } };
    }
    const index = position++;
    const made = created.get(index);
    if (made) return { row, created: made };
    const error = errors.get(index);
    if (error) return { row, failure: { message: error.error, code: error.code } };
    return { row, failure: { message: 'the server did not answer for it', code: 'NO_ANSWER' } };
  });
}
