import { ShortyConfigError, ShortyError } from './errors.js';

/**
 * Returns whether another attempt may succeed. Every request of this package is safe to repeat: a
 * POST has an idempotency key, and the other methods are idempotent.
 */
export function isRetryable(error: unknown): error is ShortyError {
  if (!(error instanceof ShortyError) || error instanceof ShortyConfigError) return false;
  // Without a response, the connection failed or was too slow.
  const { status = 500 } = error;
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/**
 * Returns the milliseconds before the next retry: full jitter from 500 ms up to 8 s and `maxDelayMs`, but at least
 * Retry-After.
 */
export function retryDelay(
  retries: number,
  retryAfterMs: number | undefined,
  maxDelayMs: number,
  random: () => number,
): number {
  const jittered = random() * Math.min(maxDelayMs, 8_000, 500 * 2 ** retries);
  return Math.max(jittered, retryAfterMs ?? 0);
}

/** Returns Retry-After (RFC 9110 §10.2.3), seconds or a date, as milliseconds from now. */
export function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(/GMT$/.test(value) ? value : '');
  if (Number.isNaN(at)) return undefined;
  // Measured from the Date header if there is one: the server's clock may differ from this one.
  const answeredAt = Date.parse(headers.get('date') ?? '');
  return Math.max(0, at - (answeredAt || nowMs));
}
