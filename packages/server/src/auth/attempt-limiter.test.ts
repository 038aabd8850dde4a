import { expect, it } from 'vitest';
import { AttemptLimiter } from './attempt-limiter.js';

let now: number;

function newLimiter(): AttemptLimiter {
  now = 0;
  return new AttemptLimiter({ attempts: 3, windowMs: 60_000 }, () => now);
}

/** Returns whether an attempt is allowed. */
function isAllowed(limiter: AttemptLimiter, key = 'a'): boolean {
  try {
    limiter.take(key);
    return true;
  } catch {
    return false;
  }
}

it('allows the attempts of a window, then says how long to wait', () => {
  const limiter = newLimiter();
  for (let at = 0; at < 3; at += 1) limiter.take('a');
  now = 30_000;
  expect(() => limiter.take('a')).toThrow(
    expect.objectContaining({
      code: 'RATE_LIMITED',
      message: 'Too many attempts. Try again in 30 seconds.',
      headers: expect.objectContaining({ 'Retry-After': '30', 'RateLimit-Limit': '3' }),
    }),
  );
  expect(isAllowed(limiter, 'b')).toBe(true);
  now = 60_000;
  expect(isAllowed(limiter)).toBe(true);
});

it('uncounts an attempt in its own window only', () => {
  const limiter = newLimiter();
  for (let at = 0; at < 5; at += 1) limiter.take('a')();
  const uncount = limiter.take('a');
  expect([isAllowed(limiter), isAllowed(limiter), isAllowed(limiter)]).toEqual([true, true, false]);
  now = 60_000;
  for (let at = 0; at < 3; at += 1) limiter.take('a');
  uncount();
  expect(isAllowed(limiter)).toBe(false);
});
