/** The reason of a refusal. Codes are stable, and programs may branch on them. */
export type WebhookVerificationErrorCode = keyof typeof statusCodes;

const statusCodes = {
  missing_header: 401,
  malformed_header: 401,
  timestamp_out_of_tolerance: 401,
  signature_mismatch: 401,
  invalid_json: 400,
  request_aborted: 400,
  body_too_large: 413,
  body_already_parsed: 500,
} as const;

/**
 * The error of every invalid delivery. An invalid argument of the receiver, such as an empty secret,
 * throws a `TypeError` instead.
 */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
  declare readonly code: WebhookVerificationErrorCode;
  /** The HTTP status to answer with. */
  declare readonly statusCode: 400 | 401 | 413 | 500;

  constructor(code: WebhookVerificationErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.statusCode = statusCodes[code];
  }

  /** Returns the error for the sender. It contains neither a secret nor an expected signature. */
  toJSON(): { code: WebhookVerificationErrorCode; message: string } {
    return { code: this.code, message: this.message };
  }
}

/** Returns whether the sender caused the error. Other errors are the application's. */
export function isRefusal(error: unknown): error is WebhookVerificationError {
  return error instanceof WebhookVerificationError && error.statusCode < 500;
}

export function refuse(...args: ConstructorParameters<typeof WebhookVerificationError>): never {
  throw new WebhookVerificationError(...args);
}

/** Throws `body_already_parsed`. If `cause` is a WebhookVerificationError, throws `cause`. */
export function refuseConsumed(cause?: unknown): never {
  if (cause instanceof WebhookVerificationError) throw cause;
  const reason = cause instanceof Error ? cause.message : 'verify before parsing';
  refuse('body_already_parsed', `The raw body cannot be read: ${reason}`, { cause });
}
