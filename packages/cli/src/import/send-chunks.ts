import { type ImportChunk, matchResults, type RowResult } from '@shorty/import';
import type { UrlBulkCreateResult, UrlCreateRequest } from '@shorty/sdk';

export type CreatedUrl = UrlBulkCreateResult['created'][number];

export interface ChunkOutcome {
  readonly chunk: ImportChunk;
  readonly rows: readonly RowResult<CreatedUrl>[];
}

export interface ChunkSender {
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly send: (
    items: UrlCreateRequest[],
    chunk: ImportChunk,
    signal: AbortSignal,
  ) => Promise<UrlBulkCreateResult>;
}

/** Sends chunks concurrently and yields their outcomes in file order. */
export async function* sendChunks(
  chunks: AsyncIterable<ImportChunk>,
  { concurrency, signal: interrupt, send }: ChunkSender,
): AsyncGenerator<ChunkOutcome> {
  const stop = new AbortController();
  const signal = AbortSignal.any([interrupt, stop.signal]);
  const pending: Promise<ChunkOutcome>[] = [];
  const sendOne = async (chunk: ImportChunk): Promise<ChunkOutcome> => {
    const items = chunk.rows.flatMap((row) => (row.item ? [row.item] : []));
    // The server validates each item separately, so an invalid row fails alone.
    const sent = items as unknown as UrlCreateRequest[];
    const result = items.length > 0 ? await send(sent, chunk, signal) : undefined;
    return { chunk, rows: matchResults<CreatedUrl>(chunk.rows, result) };
  };
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      const sent = sendOne(chunk);
      // The loop handles the error when it is the chunk's turn.
      sent.catch(() => {});
      pending.push(sent);
      if (pending.length >= concurrency) yield await (pending.shift() as Promise<ChunkOutcome>);
    }
    while (pending.length > 0) yield await (pending.shift() as Promise<ChunkOutcome>);
  } finally {
    stop.abort();
    await Promise.allSettled(pending);
  }
}
