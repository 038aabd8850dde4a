import { afterEach, beforeEach, expect, it } from 'vitest';
import { readVisitorKeys } from '../../src/analytics/visitor-keys.js';
import { openVisitStore, type VisitStore } from './visit-store.js';

let stored: VisitStore;
beforeEach(async () => {
  stored = await openVisitStore();
});
afterEach(() => stored.close());

const readHash = async () => (await readVisitorKeys(stored.database)).addressKey('192.0.2.1');

it('nodes that start at once share one key, which stays until its secret key is lost', async () => {
  const [first, second] = await Promise.all([readHash(), readHash()]);
  expect(second).toBe(first);
  expect(await readHash()).toBe(first);
  await stored.database.writeDirectly(
    (transaction) => transaction.deleteFrom('visitor_keys').execute(),
    'rows',
  );
  const next = await readHash();
  expect(next).not.toBe(first);
  expect(await readHash()).toBe(next);
});
