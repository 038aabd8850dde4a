import { type ImportChunk, matchResults, type RowResult } from '@shorty/import';
import type { UrlBulkCreateResult, UrlCreateRequest } from '@shorty/sdk';

type CreatedUrl = UrlBulkCreateResult['created'][number];

/** The result of one row. */
export type RowOutcome = RowResult<CreatedUrl>;

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

export interface ChunkSender {
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly send: (
    items: UrlCreateRequest[],
    chunk: ImportChunk,
    signal: AbortSignal,
  ) => Promise<{ readonly result: UrlBulkCreateResult; readonly isReplayed: boolean }>;
  /**
   * Called for each chunk in file order, one at a time. When it returns `stop`, no further chunk is
   * sent, and the outcomes of those in flight follow.
   */
  readonly onChunk: (outcome: ChunkOutcome) => Promise<'stop' | 'continue'>;
}

/** Sends chunks concurrently and passes their outcomes to `onChunk` in file order. */
export async function sendChunks(
  chunks: AsyncIterable<ImportChunk>,
  { concurrency, onChunk, ...sender }: ChunkSender,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([sender.signal, stop.signal]);
  const pending: Promise<ChunkOutcome>[] = [];
  let isStopped = false;
  const settleFirst = async () => {
    const outcome = await pending.shift();
    if (outcome && (await onChunk(outcome)) === 'stop') isStopped = true;
  };
  try {
    for await (const chunk of chunks) {
      while (pending.length >= concurrency) await settleFirst();
      if (isStopped) break;
      signal.throwIfAborted();
      const sent = sendChunk(chunk, sender.send, signal);
      // The loop handles the error when it is the chunk's turn.
      sent.catch(() => {});
      pending.push(sent);
    }
    while (pending.length > 0) await settleFirst();
  } finally {
    stop.abort();
    await Promise.allSettled(pending);
  }
}

async function sendChunk(
  chunk: ImportChunk,
  send: ChunkSender['send'],
  signal: AbortSignal,
): Promise<ChunkOutcome> {
  const items = chunk.rows.flatMap((row) => (row.item ? [row.item] : []));
  if (items.length === 0)
    return { chunk, rows: matchResults<CreatedUrl>(chunk.rows), isReplayed: false };
  // The server validates each item separately, so an invalid row fails alone.
  const response = await send(items as unknown as UrlCreateRequest[], chunk, signal);
  const rows = matchResults<CreatedUrl>(chunk.rows, response.result);
  return { chunk, rows, isReplayed: response.isReplayed };
}
