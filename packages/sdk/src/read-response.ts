import { createStatusError } from './errors.js';
import type { Bytes, Incoming } from './exchange.js';
import { readRetryAfter } from './retry-delay.js';
import type { ErrorResponse } from './types.js';

/** The image of a QR code. */
export interface QrImage {
  readonly bytes: Bytes;
  /** `image/png`, `image/svg+xml` or `image/webp`. */
  readonly contentType: string;
  /** The ETag of these bytes, in quotes. It changes with the image. */
  readonly etag: string | undefined;
}

/**
 * Returns the data or the image of a response, or throws its error. `request` names the request in
 * messages.
 */
export function readResponse<T>(
  { response, body: text }: Incoming,
  request: string,
  nowMs: number,
): T {
  const { status, headers } = response;
  if (typeof text !== 'string') {
    return {
      bytes: text,
      contentType: headers.get('content-type') ?? '',
      etag: response.etag,
    } satisfies QrImage as T;
  }
  const isSuccess = status >= 200 && status < 300;
  const body = parse(text);
  if (isSuccess && body?.success === true && 'data' in body) return body.data as T;
  const { code, message, details, requestId } = body?.error ?? {};
  const isFromApi = typeof code === 'string' && typeof message === 'string';
  const location = headers.get('location');
  const reason = isSuccess
    ? ` without the data of the API${quote(text)}`
    : location
      ? ` with a redirect to ${location}: check the base URL`
      : quote(text);
  throw createStatusError(status, isFromApi ? message : `${request} answered ${status}${reason}`, {
    ...(isFromApi && { code, details }),
    requestId: response.requestId ?? requestId,
    retryAfterMs: readRetryAfter(headers, nowMs),
  });
}

// The body may have any form: a proxy can answer, too.
type Body = { success?: unknown; data?: unknown; error?: Partial<ErrorResponse['error']> };

function parse(text: string): Body | null | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the beginning of a text, on one line. */
function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line && `: ${line.slice(0, 200)}`;
}
