import { type BulkResult, ShortyBulkError } from './bulk-error.js';
import { refuse } from './errors.js';
import type { BulkOptions, RequestOptions } from './options.js';
import { settleOrAbort } from './run-within.js';
import { checkNumber } from './settings.js';

/** The items of a bulk call. A string would be its characters, so it is refused. */
export type BulkItems<Item> = (Iterable<Item> | AsyncIterable<Item>) & {
  readonly charAt?: never;
};

/** Yields the result of each request, and returns the sum of the counts. */
export type BulkStream<Result> = AsyncGenerator<Result, Result, undefined>;

/** A bulk call that is ready to be sent. */
export interface BulkCall<Item, Result extends BulkResult> {
  readonly items: BulkItems<Item>;
  readonly options: BulkOptions<Result>;
  /** What happens to the items. It selects the counts and lists of a result. */
  readonly kind: 'created' | 'updated' | 'deleted';
  readonly send: (items: Item[], options: RequestOptions) => PromiseLike<Result>;
}

/**
 * Sends items in requests of 100, and yields their results in the order of the input. Returns their
 * sum: the counts, and the lists of a call that is collecting.
 */
export async function* streamBulk<Item, Result extends BulkResult>(
  call: BulkCall<Item, Result>,
  isCollecting = false,
): BulkStream<Result> {
  // Loaded on demand: a program that creates one link at a time does not need it. It imports nothing,
  // because a shared module would become another file of a bundle.
  const { runBulk } = await import('./run-bulk.js');
  return yield* runBulk(call, isCollecting, {
    checkNumber,
    refuse,
    settleOrAbort,
    ShortyBulkError,
  });
}

/** Returns the sum of the results of a stream, when it ends. */
export async function collectBulk<Result>(stream: BulkStream<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = await stream.next();
    if (done) return value;
  }
}
