import { ShortyError, type ShortyErrorInit } from './errors.js';
import type { UrlBulkCreateResult, UrlBulkDeleteResult, UrlBulkUpdateResult } from './types.js';

export type BulkResult = UrlBulkCreateResult | UrlBulkUpdateResult | UrlBulkDeleteResult;

interface BulkErrorInit extends ShortyErrorInit {
  readonly partial: object;
  readonly unknown: readonly number[];
  readonly nextIndex: number;
}

/**
 * The error of a bulk call that stopped before its end. Its `cause` is the error of the failed
 * request, the reason of an abort, or an error of the input or of `onChunk`. Call, status, code and
 * details are those of the cause.
 *
 * @example
 * ```ts
 * import { ShortyBulkError } from '@shorty/sdk';
 *
 * const items = [{ targetUrl: 'https://example.com' }];
 * try {
 *   await shorty.urls.bulkCreate(items, { idempotencyKey: 'import-7' });
 * } catch (error) {
 *   if (!(error instanceof ShortyBulkError)) throw error;
 *   console.log(error.partial, `continue at ${error.nextIndex}`, `unknown: ${error.unknown}`);
 * }
 * ```
 */
export class ShortyBulkError<Result extends BulkResult = BulkResult> extends ShortyError {
  override name = 'ShortyBulkError';

  /** The sum of the completed requests. Each `index` is a position in the whole input. */
  declare readonly partial: Result;
  /**
   * Positions of the items whose request failed, in order. With a 4xx `status`, the server refused
   * them. Otherwise it may have processed them. To get their results without processing an item twice,
   * repeat the call with the same `idempotencyKey`.
   */
  declare readonly unknown: readonly number[];
  /** The position of the first item that was not sent. No later item was sent. */
  declare readonly nextIndex: number;

  constructor(message: string, init: BulkErrorInit) {
    super(message, init);
  }
}
