import { checkItems } from './build-target.js';
import { ShortyBulkError } from './bulk-error.js';
import { isShortyError, refuse } from './errors.js';
import type { BulkOptions } from './options.js';
import { settleOrAbort } from './run-within.js';
import type { Transport } from './send-request.js';
import { checkNumber } from './settings.js';
import type {
  BulkCreateResult,
  BulkDeleteResult,
  BulkUpdateResult,
  UrlBulkUpdateItem,
  UrlCreateRequest,
  UrlId,
} from './types.js';

/** The items of a bulk call. A string would be its characters, so it is refused. */
export type BulkItems<Item> = (Iterable<Item> | AsyncIterable<Item>) & {
  readonly charAt?: never;
};

/** Yields the result of each request, and returns the sum of the counts. */
export type BulkStream<Result> = AsyncGenerator<Result, Result, undefined>;

/** The items and the result of each kind of bulk call. The kind names what happens to the items. */
export interface BulkKinds {
  created: { readonly item: UrlCreateRequest; readonly result: BulkCreateResult };
  updated: { readonly item: UrlBulkUpdateItem; readonly result: BulkUpdateResult };
  deleted: { readonly item: UrlId; readonly result: BulkDeleteResult };
}

/** A bulk call that is ready to be sent. */
export interface BulkCall<Kind extends keyof BulkKinds> {
  readonly kind: Kind;
  readonly items: BulkItems<BulkKinds[Kind]['item']>;
  readonly options?: BulkOptions<BulkKinds[Kind]['result']> | undefined;
}

/**
 * Sends items in requests of 100, and yields their results in the order of the input. Returns their
 * sum: the counts, and the lists of a call that is collecting.
 */
export async function* streamBulk<Kind extends keyof BulkKinds>(
  { send }: Transport,
  call: BulkCall<Kind>,
  isCollecting = false,
): BulkStream<BulkKinds[Kind]['result']> {
  // Loaded on demand: a program that creates one link at a time does not need it. It imports nothing,
  // because a shared module would become another file of a bundle.
  const bulk = await import('./run-bulk.js');
  return yield* bulk.runBulk(call, isCollecting, {
    send,
    checkItems,
    checkNumber,
    refuse,
    settleOrAbort,
    isShortyError,
    ShortyBulkError,
  });
}

/** Sends the items of a bulk call like `streamBulk`, and returns the sum of the results. */
export async function collectBulk<Kind extends keyof BulkKinds>(
  api: Transport,
  call: BulkCall<Kind>,
): Promise<BulkKinds[Kind]['result']> {
  const stream = streamBulk(api, call, true);
  for (;;) {
    const { done, value } = await stream.next();
    if (done) return value;
  }
}
