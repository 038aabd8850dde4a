/** Why a delivery was refused; a program may branch on it, and it never changes its meaning. */
export type WebhookVerificationErrorCode =
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_out_of_tolerance'
  | 'signature_mismatch'
  | 'body_already_parsed'
  | 'body_too_large'
  | 'invalid_json';

const statusCodes: Partial<Record<WebhookVerificationErrorCode, 400 | 413 | 500>> = {
  invalid_json: 400,
  body_too_large: 413,
  body_already_parsed: 500,
};

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
  declare readonly code: WebhookVerificationErrorCode;
  /**
   * The HTTP status to answer: 400 for a signed body that is no event, 413 for a body above the
   * limit, 500 when the receiver's own framework consumed the body, 401 for all else.
   */
  declare readonly statusCode: 400 | 401 | 413 | 500;

  constructor(code: WebhookVerificationErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.statusCode = statusCodes[code] ?? 401;
  }

  /** What an adapter tells the sender; neither the secret nor the expected signature is in it. */
  toJSON(): { code: WebhookVerificationErrorCode; message: string } {
    return { code: this.code, message: this.message };
  }
}

/** Returns whether to answer the sender. Anything else is a fault of the receiver's application. */
export function isRefusal(error: unknown): error is WebhookVerificationError {
  return error instanceof WebhookVerificationError && error.statusCode < 500;
}

/**
 * Throws for a body that is not bytes any more, and names the fix for each framework. A cause that
 * is a refusal itself is thrown as it is.
 */
export function refuseConsumed(cause?: unknown): never {
  if (cause instanceof WebhookVerificationError) throw cause;
  throw new WebhookVerificationError(
    'body_already_parsed',
    "The body was parsed, its bytes are gone. Express: express.raw({ type: '*/*' }) first. Fastify: fastifyWebhook. Hono, fetch: verify first.",
    { cause },
  );
}
