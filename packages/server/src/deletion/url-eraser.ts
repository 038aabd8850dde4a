import type { IdempotentResult } from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import { StorageUnavailableError } from '../storage/database.js';
import { beginErasure, type UrlEraserOptions } from '../urls/erase-url.js';
import type { ShortUrl } from '../urls/short-url.js';
import type { WriteContext } from '../urls/url-write.js';
import { eraseLink, isLinkErasurePending } from './erase-links.js';

interface UrlErasureOptions extends UrlEraserOptions {
  readonly clock: Clock;
  /**
   * Erases the visits of marked links. Returns after some seconds at most, and continues then. Throws
   * UNAVAILABLE if those of this link cannot be erased.
   */
  readonly eraseVisits: (urlId: number) => Promise<void>;
  /** Called after a link is empty, before the rest is deleted. */
  readonly onErased: (urlId: number, qrIds: readonly string[]) => void;
}

// Each waits for some seconds.
const maxWaits = 4;

/** Returns the function that erases a link for the API, and waits until nothing of it is stored. */
export function urlEraser(options: UrlErasureOptions) {
  const { database, clock, eraseVisits, onErased } = options;
  return async <Presented>(
    urlId: number,
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
  ): Promise<IdempotentResult<Presented | null>> => {
    const { result, replayed } = await beginErasure(options, urlId, present, context);
    if (!result) return { result: null, replayed };
    onErased(urlId, result.qrIds);
    const link = { urlId, organizationId: context.organizationId };
    for (let waits = 0; await isLinkErasurePending(database, urlId); waits += 1) {
      if (waits > maxWaits) {
        throw new StorageUnavailableError(
          'the link is being erased: repeat the request with the same Idempotency-Key',
        );
      }
      await eraseVisits(urlId);
      await eraseLink(database, clock, link);
    }
    return { result: result.presented, replayed };
  };
}
