import { ConnectionError, ShortyError, TimeoutError } from './errors.js';

const firstDelayMs = 500;

/**
 * Whether another attempt may succeed. Every request of this package can be repeated safely: POSTs
 * carry an idempotency key, and the others say what shall be, not what shall change.
 */
export function isRetryable(error: unknown): error is ShortyError {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  if (!(error instanceof ShortyError)) return false;
  const { status = 0 } = error;
  return status === 429 || status >= 500;
}

/** Milliseconds to wait after the given number of retries: full jitter, never before Retry-After. */
export function retryDelay(
  retries: number,
  retryAfterMs: number | undefined,
  maxDelayMs: number,
  random: () => number,
): number {
  const jittered = random() * Math.min(maxDelayMs, firstDelayMs * 2 ** retries);
  return Math.min(maxDelayMs, Math.max(jittered, retryAfterMs ?? 0));
}

/** Reads Retry-After, seconds or a date (RFC 9110 §10.2.3), as milliseconds from now. */
export function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = /GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  // The server's own clock wrote both dates, and ours may be wrong.
  const answeredAt = Date.parse(headers.get('date') ?? '');
  return Math.max(0, at - (Number.isNaN(answeredAt) ? nowMs : answeredAt));
}
