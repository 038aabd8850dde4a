import type { checkItems } from './build-target.js';
import type { BulkCall, BulkKinds, BulkStream } from './bulk.js';
import type { BulkResult, ShortyBulkError } from './bulk-error.js';
import type { isShortyError, refuse } from './errors.js';
import { inChunks } from './in-chunks.js';
import type { RequestOptions } from './options.js';
import type { settleOrAbort } from './run-within.js';
import type { Transport } from './send-request.js';
import type { checkNumber } from './settings.js';

/** The most items in one request. */
export const chunkSize = 100;

/** What the main entry provides, so that this module imports no values. */
interface MainEntry extends Pick<Transport, 'send'> {
  readonly checkItems: typeof checkItems;
  readonly checkNumber: typeof checkNumber;
  readonly refuse: typeof refuse;
  readonly settleOrAbort: typeof settleOrAbort;
  readonly isShortyError: typeof isShortyError;
  readonly ShortyBulkError: typeof ShortyBulkError;
}

type BulkProgress = Pick<ShortyBulkError, 'partial' | 'unknown' | 'nextIndex'>;

type Send = Transport['send'];

/** The request of each kind of bulk call. */
const requests: {
  readonly [Kind in keyof BulkKinds]: (
    send: Send,
    items: BulkKinds[Kind]['item'][],
    options: RequestOptions,
  ) => PromiseLike<BulkKinds[Kind]['result']>;
} = {
  created: (send, urls, options) => send('POST /api/v1/urls/bulk', { body: { urls } }, options),
  updated: (send, updates, options) =>
    send('PATCH /api/v1/urls/bulk', { body: { updates } }, options),
  deleted: (send, ids, options) => send('DELETE /api/v1/urls/bulk', { body: { ids } }, options),
};

/**
 * Sends items in requests of 100, and yields their results in the order of the input. Adds the counts
 * of the results to the total, and their lists if it collects them.
 */
export async function* runBulk<Kind extends keyof BulkKinds>(
  { kind, items, options = {} }: BulkCall<Kind>,
  isCollecting: boolean,
  main: MainEntry,
): BulkStream<BulkKinds[Kind]['result']> {
  type Item = BulkKinds[Kind]['item'];
  type Result = BulkKinds[Kind]['result'];
  const { concurrency = 1, onChunk, signal, idempotencyKey: key } = options;
  main.checkNumber('concurrency', concurrency);
  // The characters of a string would be items.
  if (Object(items) !== items) main.refuse('items', 'a list', items);
  const total = emptyResult<Result>(kind);
  // A failed request has no result.
  const inFlight: Promise<Result | undefined>[] = [];
  const unknown: number[] = [];
  let nextIndex = 0;
  let sentChunks = 0;
  let settledChunks = 0;
  let failure: { readonly cause: unknown } | undefined;

  const fail = (cause: unknown) => {
    failure ??= { cause };
  };
  // Neither the source of the items nor onChunk may delay an abort.
  const untilAborted = <T>(promise: Promise<T>) =>
    signal ? main.settleOrAbort(promise, signal) : promise;
  const sendChunk = async (chunk: Item[]) => {
    const firstIndex = nextIndex;
    nextIndex += chunk.length;
    const idempotencyKey = key && `${key}-${sentChunks}`;
    sentChunks++;
    try {
      const result = await requests[kind](main.send, chunk, { ...options, idempotencyKey });
      const entries = Object.values(result).flat() as (number | string | { index: number })[];
      for (const entry of entries) if (typeof entry === 'object') entry.index += firstIndex;
      return result;
    } catch (error) {
      fail(error);
      for (const at of chunk.keys()) unknown.push(firstIndex + at);
      return undefined;
    }
  };
  async function* settleFirst() {
    const result = await inFlight.shift();
    const index = settledChunks++;
    if (!result) return;
    addTo(total, result, isCollecting);
    yield result;
    await untilAborted(Promise.resolve(onChunk?.(result, index)));
  }

  const chunks = inChunks(items, chunkSize);
  try {
    for (;;) {
      const { value: chunk } = await untilAborted(chunks.next());
      if (!chunk) break;
      main.checkItems('items', chunk, nextIndex);
      while (inFlight.length >= concurrency && !failure) yield* settleFirst();
      if (failure) break;
      signal?.throwIfAborted();
      inFlight.push(sendChunk(chunk));
    }
  } catch (cause) {
    fail(cause);
  } finally {
    await untilAborted(chunks.return(undefined)).catch(fail);
  }
  // Requests in flight are awaited even after a failure, because their results must not be lost.
  while (inFlight.length > 0) {
    try {
      yield* settleFirst();
    } catch (cause) {
      fail(cause);
    }
  }
  if (!failure) return total;
  unknown.sort((a, b) => a - b);
  const { cause } = failure;
  const reason = cause instanceof Error ? cause.message : cause;
  const progress: BulkProgress = { partial: total, unknown, nextIndex };
  throw new main.ShortyBulkError(
    `the bulk call stopped after ${nextIndex - unknown.length} items: ${reason}`,
    { ...(main.isShortyError(cause) ? cause : {}), cause, ...progress },
  );
}

/** Returns a result without items, to which the others are added. */
function emptyResult<Result>(kind: keyof BulkKinds): Result {
  const values: unknown = {
    requested: 0,
    [`${kind}Count`]: 0,
    ...(kind === 'deleted'
      ? { skippedCount: 0, deletedIds: [], skippedIds: [] }
      : { failedCount: 0, [kind]: [], errors: [] }),
  };
  return values as Result;
}

/** Adds the counts of a result to the total, and with `lists` its lists. */
function addTo(total: BulkResult, part: BulkResult, lists: boolean): void {
  // biome-ignore lint/suspicious/noExplicitAny: the type of each value is checked.
  const sum: Record<string, any> = total;
  for (const [name, value] of Object.entries<unknown>({ ...part })) {
    if (typeof value === 'number') sum[name] += value;
    else if (lists && Array.isArray(value)) sum[name].push(...value);
  }
}
