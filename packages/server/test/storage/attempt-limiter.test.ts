import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { limitAttempts } from '../../src/auth/attempt-limiter.js';
import { ApiError } from '../../src/contract/api-error.js';
import { deleteExpired } from '../../src/deletion/delete-expired.js';
import type { Database } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { rowsWith } from './rows-with.js';
import { openRepository, type Stored } from './temporary-database.js';

const limit = { name: 'tests', attempts: 3, windowMs: 60_000 };
let stored: Stored;
/** Two handles of a database, which are like two nodes. */
let nodes: readonly Database[];
let now = 0;
beforeAll(async () => {
  stored = await openRepository();
  const { databaseUrl } = stored;
  const second = openStorage({ databaseUrl, durability: 'process' });
  second.keyring.use(stored.database.keyring.secretKeys);
  nodes = [stored.database, second];
  return async () => {
    await second.close();
    await stored.close();
  };
});

let runs = 0;
/** Returns limiters of two nodes, and client keys that no other test uses. */
function newLimiters(of = nodes) {
  runs += 1;
  const prefix = runs;
  now = 0;
  return of.map((database) => {
    const take = limitAttempts(database, limit, () => now);
    return (key = 'a', isCorrect = false) => take(`${prefix} ${key}`, isCorrect);
  });
}
type Take = ReturnType<typeof newLimiters>[number];

/** Returns true if an attempt is allowed. */
async function isAllowed(take: Take, key = 'a', isCorrect = false): Promise<boolean> {
  try {
    await take(key, isCorrect);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error;
    return false;
  }
}

it('does not count correct attempts, and refuses them too while the limit is reached', async () => {
  const [take] = newLimiters() as [Take];
  for (let at = 0; at < 5; at += 1) expect(await isAllowed(take, 'a', true)).toBe(true);
  for (let at = 0; at < 5; at += 1) await (await take())();
  const uncount = await take();
  for (let at = 0; at < 2; at += 1) expect(await isAllowed(take)).toBe(true);
  expect(await isAllowed(take)).toBe(false);
  expect(await isAllowed(take, 'a', true)).toBe(false);
  // A window does not get back what an earlier one counted.
  now = 60_000;
  for (let at = 0; at < 3; at += 1) expect(await isAllowed(take)).toBe(true);
  await uncount();
  expect(await isAllowed(take)).toBe(false);
});

it('two nodes never allow more failed attempts in one window of a client key', async () => {
  const attempt = fc.record({
    node: fc.nat(1),
    key: fc.constantFrom('a', 'b'),
    // Most attempts are concurrent.
    passedMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(30_000)),
    isCorrect: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { maxLength: 30 }), async (attempts) => {
      const takes = newLimiters();
      const failed = new Map<string, { endsAt: number; count: number }>();
      const running: Promise<unknown>[] = [];
      for (const { node, key, passedMs, isCorrect } of attempts) {
        if (passedMs > 0) await Promise.all(running.splice(0));
        now += passedMs;
        const window = failed.get(key);
        if (!window || window.endsAt <= now) {
          failed.set(key, { endsAt: now + limit.windowMs, count: 0 });
        }
        const guess = async () => {
          const uncount = await (takes[node] as Take)(key);
          if (isCorrect) await uncount();
          else (failed.get(key) as { count: number }).count += 1;
        };
        running.push(guess().catch(() => {}));
      }
      await Promise.all(running);
      for (const { count } of failed.values()) expect(count).toBeLessThanOrEqual(limit.attempts);
    }),
    { numRuns: 15 },
  );
});

it('stores no address, and no attempt after the end of its window', async () => {
  const [take] = newLimiters() as [Take];
  await take('192.0.2.1');
  expect(await rowsWith(stored.database, '192.0.2.1')).toEqual([]);
  const count = async () =>
    (await stored.database.read.selectFrom('attempts').select('key').execute()).length;
  expect(await count()).toBeGreaterThan(0);
  const { signal } = new AbortController();
  const ended = { now: Number.MAX_SAFE_INTEGER, auditRetentionDays: 1 };
  await deleteExpired(stored.database, ended, signal);
  expect(await count()).toBe(0);
});
