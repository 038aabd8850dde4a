import { expect, it } from 'vitest';
import { LoadingCache } from './loading-cache.js';

it('loads a stale value again, and returns it while loads fail', async () => {
  let stored: string | Error | undefined = 'old';
  const cache = new LoadingCache<string>({ max: 2 }, async () => {
    if (stored instanceof Error) throw stored;
    return stored;
  });
  await cache.load('key');
  stored = 'new';
  expect(cache.get('key')).toBe('old');
  cache.markStale();
  expect(cache.get('key')).toBeUndefined();
  expect(await cache.load('key')).toBe('new');
  expect(cache.get('key')).toBe('new');
  cache.markStale();
  stored = undefined;
  expect(await cache.load('key')).toBeUndefined();
  stored = new Error('storage is away');
  await expect(cache.load('key')).rejects.toThrow('storage is away');
  stored = 'again';
  await cache.load('key');
  cache.markStale();
  stored = new Error('storage is away');
  expect(await cache.load('key')).toBe('again');
});
