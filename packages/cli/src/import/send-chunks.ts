import { type ImportChunk, matchResults } from '@shorty/import';
import type { UrlBulkCreateResult, UrlCreateRequest } from '@shorty/sdk';

export type CreatedUrl = UrlBulkCreateResult['created'][number];

/** Sends chunks in up to `concurrency` requests at once, and yields their outcomes in file order. */
export async function* sendChunks(
  chunks: AsyncIterable<ImportChunk>,
  concurrency: number,
  interrupt: AbortSignal,
  send: (
    urls: UrlCreateRequest[],
    chunk: ImportChunk,
    signal: AbortSignal,
  ) => Promise<UrlBulkCreateResult>,
) {
  const stop = new AbortController();
  const signal = AbortSignal.any([interrupt, stop.signal]);
  const pending: ReturnType<typeof sendOne>[] = [];
  const sendOne = async (chunk: ImportChunk) => {
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
      if (pending.length >= concurrency) yield await (pending.shift() as typeof sent);
    }
    for (let next = pending.shift(); next; next = pending.shift()) yield await next;
  } finally {
    stop.abort();
    await Promise.allSettled(pending);
  }
}
