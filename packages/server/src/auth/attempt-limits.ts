import type { ApiError } from '../contract/api-error.js';
import { rateLimitedError } from '../contract/rate-limit.js';
import type { AttemptLimit } from './attempt-limiter.js';

/** The limit of wrong link passwords, per link and address. */
export const passwordAttempts: AttemptLimit = { attempts: 10, windowMs: 10 * 60_000 };

/**
 * The limit of failed token requests, per address. It protects secrets that an operator chose; generated
 * ones cannot be guessed. The window is short, because several clients may share an address.
 */
export const tokenAttempts: AttemptLimit = { attempts: 30, windowMs: 60_000 };

/** Returns RATE_LIMITED for a client key with too many failed attempts. */
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
