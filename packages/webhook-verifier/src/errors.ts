/** Why a delivery was refused; a program may branch on it, and it never changes its meaning. */
export type WebhookVerificationErrorCode =
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_out_of_tolerance'
  | 'signature_mismatch'
  | 'body_already_parsed'
  | 'invalid_json';

/**
 * The only error that a delivery can cause, whatever its sender put into it. A mistake in the
 * receiver's own call, such as an empty secret, is a `TypeError`.
 *
 * @example
 * ```ts
 * import { type VerifyInput, verifyWebhook, WebhookVerificationError } from '@shorty/webhook-verifier';
 *
 * export function accept(delivery: VerifyInput) {
 *   try {
 *     return verifyWebhook(delivery);
 *   } catch (error) {
 *     if (!(error instanceof WebhookVerificationError)) throw error;
 *     return { status: error.statusCode, reason: error.code };
 *   }
 * }
 * ```
 */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
  readonly code: WebhookVerificationErrorCode;
  /**
   * The HTTP status to answer: 400 for a signed body that is no event, 500 when the receiver's own
   * framework consumed the body, 401 for all else.
   */
  readonly statusCode: 400 | 401 | 500;

  constructor(code: WebhookVerificationErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.statusCode = code === 'invalid_json' ? 400 : code === 'body_already_parsed' ? 500 : 401;
  }
}
