import { type ErrorCode, type ErrorDetail, errorStatus, type OAuthCode } from './errors.js';

type Options = Partial<Pick<ApiError, 'details' | 'headers' | 'replayed' | 'oauthCode' | 'cause'>>;

/** An error with the code and the message that the client receives. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;
  /** True when an earlier request with the same Idempotency-Key got the same error. */
  readonly replayed: boolean;
  /** Set if the error responds to a form of OAuth. Its cause is then the error that was thrown. */
  readonly oauthCode: OAuthCode | undefined;

  constructor(code: ErrorCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
    this.replayed = options.replayed ?? false;
    this.oauthCode = options.oauthCode;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** Returns VALIDATION_FAILED with the invalid fields. Pass `count` when `details` omits some. */
export function validationError(
  details: readonly ErrorDetail[],
  count?: number,
  subject?: string,
): ApiError {
  return new ApiError('VALIDATION_FAILED', summarize(details, count, subject), { details });
}

/** Returns VALIDATION_FAILED with one invalid field. */
export function invalidField(path: string, message: string): ApiError {
  return validationError([{ path, message }]);
}

/** Returns an error with another code about one field, whose value is in the message unless it is null. */
export function fieldError(
  code: ErrorCode,
  path: string,
  value: string | null,
  rule: string,
  next = '',
): ApiError {
  const named = value === null ? path : `${path} "${shorten(value)}"`;
  return new ApiError(code, `${named} ${rule}${next}`, { details: [{ path, message: rule }] });
}

export function domainInvalid(domainId: string | null): ApiError {
  const rule = 'must be the id of an active domain of this organization';
  return fieldError('DOMAIN_INVALID', 'domainId', domainId, rule);
}

/** Returns NOT_FOUND with the kind of the record, and the id or name that was asked for. */
export function notFound(kind: string, name: string | number): ApiError {
  const message = `There is no ${kind} "${shorten(String(name))}" in this organization`;
  return new ApiError('NOT_FOUND', message);
}

/** Returns QUOTA_EXCEEDED with the limit, the current use, and the next step. */
export function quotaError(use: string, nextStep: string): ApiError {
  const details = [{ path: '', message: use }];
  return new ApiError('QUOTA_EXCEEDED', `${use}. ${nextStep}`, { details });
}

/** Returns one sentence that names the first invalid field and the number of others. */
export function summarize(
  details: readonly ErrorDetail[],
  count = details.length,
  whole = 'The body',
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
  return text.length > maxShownLength ? `${truncateText(text, maxShownLength)}…` : text;
}

/** Returns the first `maxLength` code units of a text, or one less where that would cut a character. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cutsPair = (text.codePointAt(maxLength - 1) ?? 0) > 0xffff;
  return text.slice(0, cutsPair ? maxLength - 1 : maxLength);
}
