import { type ErrorCode, type ErrorDetail, errorStatus } from './errors.js';

type Options = Partial<Pick<ApiError, 'details' | 'headers' | 'replayed' | 'cause'>>;

/** An error with the code and the message that the client receives. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;
  /** True when an earlier request with the same Idempotency-Key got the same error. */
  readonly replayed: boolean;

  constructor(code: ErrorCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
    this.replayed = options.replayed ?? false;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** Returns VALIDATION_FAILED with the invalid fields. Pass `count` when `details` omits some. */
export function validationError(details: readonly ErrorDetail[], count?: number): ApiError {
  return new ApiError('VALIDATION_FAILED', summarize(details, { count }), { details });
}

/** Returns one sentence that names the first invalid field and the number of others. */
export function summarize(
  details: readonly ErrorDetail[],
  {
    subject: whole = 'The body',
    count = details.length,
  }: { subject?: string; count?: number | undefined } = {},
): string {
  const [first] = details;
  if (!first) return 'The request is not valid';
  const subject = first.path === '' ? whole : first.path;
  const rest = count <= 1 ? '' : ` (and ${count - 1} more)`;
  return `${subject} ${first.message}${rest}`;
}

const maxShownLength = 100;

/** Truncates text from a request so that it fits in an error message. */
export function shorten(text: string): string {
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
}
