import { expect, it, onTestFinished, vi } from 'vitest';
import { createRateLimiter } from './rate-limiter.js';

const limitPerMinute = (requests: number) =>
  createRateLimiter(requests, 'An organization may make');

it('accepts the limit in a minute, and again after it', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const take = limitPerMinute(2);
  expect(await take('a')).toMatchObject({ remaining: 1, resetSeconds: 60 });
  vi.advanceTimersByTime(59_999);
  expect(await take('a')).toMatchObject({ remaining: 0, resetSeconds: 1 });
  const refusal = { code: 'RATE_LIMITED', headers: { 'Retry-After': '1' } };
  await expect(take('a')).rejects.toMatchObject(refusal);
  vi.advanceTimersByTime(1);
  expect(await take('a')).toMatchObject({ remaining: 1, resetSeconds: 60 });
});

it('forgets the least recently active of very many addresses', async () => {
  const take = limitPerMinute(1);
  for (let at = 0; at <= 50_000; at += 1) await take(`address ${at}`);
  // The first one was evicted, and the last one was not.
  await expect(take('address 50000')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect((await take('address 0')).remaining).toBe(0);
});
