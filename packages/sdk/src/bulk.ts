import { toJson } from './build-target.js';
import { ShortyBulkError } from './bulk-error.js';
import { checkNumber, checkOptions } from './check-options.js';
import { isShortyError, refuse, ShortyConfigError } from './errors.js';
import type { BulkOptions, RequestOptions } from './options.js';
import { settleOrAbort } from './run-within.js';
import { bulkOptions } from './settings.js';

/** The most items in one request. */
const chunkSize = 100;

/** The items of a bulk call. A string would be its characters, so it is refused. */
export type BulkItems<Item> = (Iterable<Item> | AsyncIterable<Item>) & {
  readonly charAt?: never;
};

type Send<Item, Result> = (items: Item[], options: RequestOptions) => PromiseLike<Result>;

/**
 * Sends items in requests of 100, and adds their results, in the order of the input, to `total`: the
 * counts, and the lists unless `collect` is false.
 */
export async function runBulk<Item, Result extends object>(
  items: BulkItems<Item>,
  send: Send<Item, Result>,
  total: Result,
  options: BulkOptions<Result> = {},
): Promise<Result> {
  const { concurrency = 1, collect = true, onChunk, ...request } = options;
  if ('ifMatch' in request)
    throw new ShortyConfigError('ifMatch', 'is not an option of bulk calls');
  checkOptions(options, bulkOptions);
  const { signal, idempotencyKey: key } = request;
  checkNumber('concurrency', concurrency);
  const isObject = Object(items) === items;
  if (!isObject || !(Symbol.iterator in items || Symbol.asyncIterator in items)) {
    refuse('items', 'an array or an iterable', items);
  }
  // A failed request has no result.
  const inFlight: Promise<Result | undefined>[] = [];
  const unknown: number[] = [];
  let nextIndex = 0;
  let sentChunks = 0;
  let settledChunks = 0;
  let failure: { readonly cause: unknown } | undefined;

  const stop = new AbortController();
  const fail = (cause: unknown) => {
    failure ??= { cause };
    stop.abort();
  };
  // Neither the source of the items nor onChunk may delay an abort.
  const untilAborted = <T>(promise: Promise<T>) =>
    signal ? settleOrAbort(promise, signal) : promise;
  const sendChunk = async (chunk: Item[]) => {
    const firstIndex = nextIndex;
    nextIndex += chunk.length;
    const idempotencyKey = key && `${key}-${sentChunks}`;
    sentChunks++;
    try {
      return movedBy(firstIndex, await send(chunk, { ...request, idempotencyKey }));
    } catch (error) {
      fail(error);
      for (const at of chunk.keys()) unknown.push(firstIndex + at);
      return undefined;
    }
  };
  const settleFirst = async () => {
    const result = await inFlight.shift();
    const index = settledChunks++;
    if (!result) return;
    addTo(total, result, collect);
    await untilAborted(Promise.resolve(onChunk?.(result, index)));
  };

  const chunks = inChunks(items);
  let isReading = false;
  try {
    for (;;) {
      isReading = true;
      // A slow source must not delay the error of a request.
      const { value: chunk } = await untilAborted(settleOrAbort(chunks.next(), stop.signal));
      isReading = false;
      if (!chunk) break;
      while (inFlight.length >= concurrency && !failure) await settleFirst();
      if (failure) break;
      signal?.throwIfAborted();
      checkItems(chunk, nextIndex);
      inFlight.push(sendChunk(chunk));
    }
  } catch (cause) {
    fail(cause);
  } finally {
    const closed = untilAborted(chunks.return(undefined)).catch(fail);
    // A source that is read closes after its next item.
    if (!isReading) await closed;
  }
  // Requests in flight are awaited even after a failure, because their results must not be lost.
  while (inFlight.length > 0) await settleFirst().catch(fail);
  if (!failure) return total;
  const { cause } = failure;
  unknown.sort((a, b) => a - b);
  throw new ShortyBulkError(
    `the bulk call stopped after ${nextIndex - unknown.length} items: ${cause instanceof Error ? cause.message : cause}`,
    { ...(isShortyError(cause) && cause), cause, partial: total, unknown, nextIndex },
  );
}

async function* inChunks<Item>(items: Iterable<Item> | AsyncIterable<Item>) {
  let chunk: Item[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < chunkSize) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Throws ShortyConfigError with the position of an item that has no JSON, before its request is sent. */
function checkItems(items: readonly unknown[], firstIndex: number): void {
  for (const [at, item] of items.entries()) {
    const name = `items[${firstIndex + at}]`;
    if (item === null || item === undefined) refuse(name, 'an item', item);
    try {
      toJson(item);
    } catch (error) {
      if (!(error instanceof ShortyConfigError)) throw error;
      const { option, message } = error;
      throw new ShortyConfigError(`${name}.${option}`, message.slice(option.length + 1));
    }
  }
}

/** Returns a result in which each `index` is a position in the whole input. */
function movedBy<Result extends object>(firstIndex: number, result: Result): Result {
  for (const entry of Object.values(result).flat()) {
    if (typeof entry?.index === 'number') entry.index += firstIndex;
  }
  return result;
}

function addTo(total: object, part: object, collect: boolean): void {
  // biome-ignore lint/suspicious/noExplicitAny: the type of each value is checked.
  const sum: Record<string, any> = total;
  for (const [name, value] of Object.entries<unknown>({ ...part })) {
    // The total lacks fields that a newer server added.
    if (typeof value === 'number') sum[name] = (sum[name] ?? 0) + value;
    else if (collect && Array.isArray(value)) {
      sum[name] ??= [];
      sum[name].push(...value);
    }
  }
}
