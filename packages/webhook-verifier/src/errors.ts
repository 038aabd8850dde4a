/** Why a delivery was refused. Codes are stable, and programs may branch on them. */
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
 * The only error that a delivery can cause. A wrong argument of the receiver, such as an empty
 * secret, throws a `TypeError`.
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
   * The HTTP status to answer with: 400 for a signed body that is not an event, 413 for a body above
   * the limit, 500 if the receiver's framework consumed the body, and 401 otherwise.
   */
  declare readonly statusCode: 400 | 401 | 413 | 500;

  constructor(code: WebhookVerificationErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.statusCode = statusCodes[code] ?? 401;
  }

  /** Returns what adapters send to the sender. It has neither a secret nor an expected signature. */
  toJSON(): { code: WebhookVerificationErrorCode; message: string } {
    return { code: this.code, message: this.message };
  }
}

/** Returns whether to answer the sender. Other errors are errors of the receiver's application. */
export function isRefusal(error: unknown): error is WebhookVerificationError {
  return error instanceof WebhookVerificationError && error.statusCode < 500;
}

/**
 * Throws `body_already_parsed` with the fix for each framework. Throws `cause` itself if it is a
 * WebhookVerificationError.
 */
export function refuseConsumed(cause?: unknown): never {
  if (cause instanceof WebhookVerificationError) throw cause;
  throw new WebhookVerificationError(
    'body_already_parsed',
    "The body was parsed, its bytes are gone. Express: express.raw({ type: '*/*' }) first. Fastify: fastifyWebhook. Hono, fetch: verify first.",
    { cause },
  );
}
