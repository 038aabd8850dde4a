import { expect, it } from 'vitest';
import { createRateLimiter } from './rate-limiter.js';

it('forgets the least recently active of very many addresses', async () => {
  const take = createRateLimiter(1, 'An organization may make');
  for (let at = 0; at <= 50_000; at += 1) await take(`address ${at}`);
  // The first one was evicted, and the last one was not.
  await expect(take('address 50000')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect((await take('address 0')).remaining).toBe(0);
});
