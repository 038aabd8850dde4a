import { type BulkResult, ShortyBulkError } from './bulk-error.js';
import { ShortyConfigError } from './errors.js';
import { inChunks } from './in-chunks.js';
import type { BulkOptions } from './options.js';
import { settleOrAbort } from './run-within.js';
import { checkNumber } from './settings.js';

/** The most items in one request. */
export const chunkSize = 100;

/** The items of a bulk call. A string would be its characters, so it is refused. */
export type BulkItems<Item> = (Iterable<Item> | AsyncIterable<Item>) & {
  readonly charAt?: never;
};

export interface BulkCall<Item, Result extends BulkResult> {
  readonly items: BulkItems<Item>;
  readonly options: BulkOptions<Result>;
  readonly total: Result;
  readonly send: (items: Item[], chunkIndex: number) => PromiseLike<Result>;
  /** Converts each index of a chunk's result to a position in the whole input. */
  readonly rebase: (result: Result, firstIndex: number) => Result;
}

interface Chunk<Result> {
  readonly index: number;
  readonly firstIndex: number;
  readonly size: number;
  readonly outcome: Promise<{ readonly result: Result } | { readonly error: unknown }>;
}

/** Sends items in requests of 100, and adds up the results in the order of the input. */
export async function runBulk<Item, Result extends BulkResult>(
  call: BulkCall<Item, Result>,
): Promise<Result> {
  const { items, total, send, rebase } = call;
  const { concurrency = 1, onChunk, signal } = call.options;
  checkNumber('concurrency', concurrency);
  if (typeof items === 'string') {
    throw new ShortyConfigError('items', 'must be an array or another iterable, not a string');
  }
  const inFlight: Chunk<Result>[] = [];
  const unknown: number[] = [];
  let nextIndex = 0;
  let chunkIndex = 0;
  let failure: { readonly cause: unknown } | undefined;

  // Neither the source of the items nor onChunk may delay an abort.
  const untilAborted = <T>(promise: Promise<T>) =>
    signal ? settleOrAbort(promise, signal) : promise;
  const start = (chunk: Item[]) => {
    const outcome = Promise.resolve(send(chunk, chunkIndex)).then(
      (result) => ({ result }),
      (error: unknown) => {
        failure ??= { cause: error };
        return { error };
      },
    );
    inFlight.push({ index: chunkIndex++, firstIndex: nextIndex, size: chunk.length, outcome });
    nextIndex += chunk.length;
  };
  const settleFirst = async () => {
    const chunk = inFlight.shift();
    const outcome = await chunk?.outcome;
    if (!chunk || !outcome) return;
    const { index, firstIndex, size } = chunk;
    if ('error' in outcome) {
      for (let at = firstIndex; at < firstIndex + size; at++) unknown.push(at);
      return;
    }
    const result = rebase(outcome.result, firstIndex);
    addTo(total, result);
    await untilAborted(Promise.resolve(onChunk?.(result, index)));
  };

  const chunks = inChunks(items, chunkSize);
  try {
    for (;;) {
      const { value: chunk } = await untilAborted(chunks.next());
      if (!chunk) break;
      while (inFlight.length >= concurrency && !failure) await settleFirst();
      if (failure) break;
      signal?.throwIfAborted();
      start(chunk);
    }
  } catch (cause) {
    failure ??= { cause };
  }
  const fail = (cause: unknown) => {
    failure ??= { cause };
  };
  await untilAborted(chunks.return(undefined)).catch(fail);
  // Requests in flight are awaited even after a failure, because their results must not be lost.
  while (inFlight.length > 0) await settleFirst().catch(fail);
  if (failure) throw new ShortyBulkError(failure.cause, { partial: total, unknown, nextIndex });
  return total;
}

/** Adds the numbers and appends the lists of a result to the total. */
function addTo<Result extends BulkResult>(total: Result, part: Result): void {
  const sum: Record<string, unknown> = { ...total };
  for (const [name, value] of Object.entries(part)) {
    const before = sum[name];
    if (typeof value === 'number') sum[name] = Number(before) + value;
    else if (Array.isArray(before)) before.push(...value);
  }
  Object.assign(total, sum);
}
