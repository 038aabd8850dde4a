import type { ApiError } from '../contract/api-error.js';
import { rateLimitedError } from '../contract/rate-limit.js';
import type { AttemptLimit } from './attempt-limiter.js';

/** For each link and address. */
export const passwordAttempts: AttemptLimit = { attempts: 10, windowMs: 10 * 60_000 };

/**
 * For each address. Made-up secrets cannot be guessed, those that an operator chose are worth a
 * limit; and a minute ends soon for the others behind the same address.
 */
export const tokenAttempts: AttemptLimit = { attempts: 30, windowMs: 60_000 };

/** RATE_LIMITED for who has been wrong too often. */
export function tooManyAttempts({ attempts, windowMs }: AttemptLimit, waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000);
  const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return rateLimitedError(`Too many attempts. Try again in ${wait}.`, {
    limit: attempts,
    windowSeconds: windowMs / 1000,
    remaining: 0,
    resetSeconds: seconds,
  });
}
