import { type ErrorCode, type ErrorDetail, errorStatus } from './errors.js';

/** A request that cannot be served, in the words that its caller reads. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    {
      details = [],
      headers = {},
      cause,
    }: {
      details?: readonly ErrorDetail[];
      headers?: Readonly<Record<string, string>>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.details = details;
    this.headers = headers;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** Input that is not as it should be: says which fields, and what would be right. */
export function validationError(details: readonly ErrorDetail[]): ApiError {
  return new ApiError('VALIDATION_FAILED', summarize(details), { details });
}

/** One sentence for all faults: the first one, and how many more there are. */
export function summarize(details: readonly ErrorDetail[], whole = 'The body'): string {
  const [first, ...more] = details;
  if (!first) return 'The request is not valid';
  const subject = first.path === '' ? whole : first.path;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `${subject} ${first.message}${rest}`;
}
