import { type RetryInfo, Shorty, ShortyError } from '@shorty/sdk';
import { createServer } from '@shorty/server';
import { expect, onTestFinished, test } from 'vitest';

test('the SDK waits for Retry-After when it is rate-limited, and no call fails', async () => {
  // Time passes only while the SDK waits, so that a slow machine reaches the limit, too.
  let now = Date.now();
  const server = createServer({ rateLimit: 60, clock: () => now });
  await server.start();
  onTestFinished(() => server.stop());
  if (!server.credentials) throw new Error('the database is not empty');
  const retries: RetryInfo[] = [];
  const shorty = new Shorty({
    baseUrl: server.url,
    ...server.credentials,
    hooks: {
      onRetry(info) {
        retries.push(info);
        now += info.delayMs;
      },
    },
  });
  const create = () => shorty.urls.create({ targetUrl: 'https://example.com/' });
  await Promise.all(Array.from({ length: 60 }, create));
  const startedAt = performance.now();
  await create();
  await create();
  expect(performance.now() - startedAt).toBeGreaterThan(500);
  expect(retries.length).toBeGreaterThan(0);
  for (const { error, delayMs } of retries) {
    expect(error).toBeInstanceOf(ShortyError);
    expect(error).toMatchObject({ status: 429 });
    expect(delayMs).toBeGreaterThanOrEqual(1000);
  }
  expect((await shorty.urls.list({ limit: 1 })).total).toBe(62);
});
