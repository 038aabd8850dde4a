import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VisitorKeys } from '../../src/analytics/classify/visitor-keys.js';
import { VisitorKeyRotation } from '../../src/analytics/visitor-key-rotation.js';
import { type TestClock, testClock } from '../api/start-server.js';
import { day, hour, openVisitStore, start, type VisitStore } from './visit-store.js';
import { startServerWithRotations } from './visited-server.js';

const minute = 60_000;

let stored: VisitStore;
let clock: TestClock;
beforeEach(async () => {
  stored = await openVisitStore();
  clock = testClock();
});
afterEach(() => stored.close());

async function openRotation(everyDays: number | undefined, of = clock) {
  const rotation = new VisitorKeyRotation({ database: stored.database, clock: of, everyDays });
  await rotation.start();
  return rotation;
}

const hashOf = ({ addressKey }: VisitorKeys) => addressKey('192.0.2.1');
const hashAt = (rotation: VisitorKeyRotation, at = clock()) => hashOf(rotation.keysAt(at));

/** Returns the periods after the first, which starts at 0. */
const readPeriods = () =>
  stored.database.read
    .selectFrom('visitor_keys')
    .selectAll()
    .where('starts_at', '>', 0)
    .orderBy('starts_at')
    .execute();
const starts = async () => (await readPeriods()).map(({ starts_at }) => starts_at);

/** Lets time pass, with a tick each ten minutes. */
async function run(rotation: VisitorKeyRotation, ms: number) {
  for (let passed = 0; passed < ms; passed += 10 * minute) {
    clock.advance(10 * minute);
    await rotation.tick();
  }
}

describe('without the setting', () => {
  it('one key, which another node shares, keys the hashes', async () => {
    const rotation = await openRotation(undefined);
    const hash = hashAt(rotation);
    await run(rotation, 3 * day);
    expect(hashAt(rotation)).toBe(hash);
    expect(hashAt(await openRotation(undefined))).toBe(hash);
    expect(await readPeriods()).toEqual([]);
    expect(rotation.isWithin({ since: 0, until: start + 365 * day })).toBe(false);
  });

  it('continues the last period after the setting was removed, and erases the one before', async () => {
    const first = await openRotation(2);
    const original = hashAt(first);
    await run(first, 3 * day + 30 * minute);
    const last = await openRotation(undefined);
    const hash = hashAt(last);
    expect(hash).not.toBe(original);
    await run(last, 5 * day);
    expect(await starts()).toEqual([start + day, start + 3 * day]);
    expect((await readPeriods()).map(({ value }) => value === null)).toEqual([true, false]);
    expect(hashAt(last)).toBe(hash);
  });
});

describe('with the setting', () => {
  it('begins a period at the next midnight, and another after each number of days', async () => {
    clock.advance(hour);
    const rotation = await openRotation(2);
    const hashes = new Map<string, number>();
    for (let hours = 0; hours < 8 * 24; hours += 1) {
      await run(rotation, hour);
      const hash = hashAt(rotation);
      if (!hashes.has(hash)) hashes.set(hash, clock());
    }
    expect([...hashes.values()]).toEqual([
      start + 2 * hour,
      start + day,
      start + 3 * day,
      start + 5 * day,
      start + 7 * day,
    ]);
    expect(await starts()).toEqual([1, 3, 5, 7, 9].map((at) => start + at * day));
  });

  it('erases the values of past periods after an hour, and not before', async () => {
    const rotation = await openRotation(1);
    await run(rotation, 2 * day + 50 * minute);
    const erased = async () => (await readPeriods()).map(({ value }) => value === null);
    expect(await erased()).toEqual([false, false, false]);
    await run(rotation, 10 * minute);
    expect(await erased()).toEqual([true, false, false]);
  });

  it('ignores a period that a wrong clock announced far ahead', async () => {
    const wrong = testClock(start + 400 * day);
    await (await openRotation(2, wrong)).tick();
    const rotation = await openRotation(2);
    await run(rotation, 2 * day);
    expect((await starts()).slice(0, 2)).toEqual([start + day, start + 3 * day]);
  });

  it('makes two nodes agree on the key, also when they announce at the same time', async () => {
    const nodes = [await openRotation(1), await openRotation(1)];
    for (let hours = 0; hours < 50; hours += 1) {
      await Promise.all(nodes.map((node) => node.tick()));
      clock.advance(hour);
      await Promise.all(nodes.map((node) => node.tick()));
      const [first, second] = nodes.map((node) => hashAt(node));
      expect(first).toBe(second);
    }
    expect(await starts()).toEqual([1, 2, 3].map((at) => start + at * day));
  });
});

describe('reports', () => {
  it('say when their window contains a rotation, and count a visitor once for each period', async () => {
    const begin = start + day;
    // The first one begins before the link is created.
    const api = await startServerWithRotations([start - day, begin]);
    const { id, shortCode } = await api.createUrl();
    const qr = (await api.call('createQr', { body: { urlId: id } })).data;
    const read = async (since: number) => {
      const caller = await api.freshCaller();
      const query = { since: new Date(since).toISOString() };
      const { data } = await caller.call('getUrlClicks', { params: { id }, query });
      const others = [
        (await caller.call('getAnalyticsOverview', { query })).data,
        (await caller.call('getQrScans', { params: { id: qr.id }, query })).data,
      ];
      for (const other of others) expect(other.uniquesSpanRotation).toBe(data.uniquesSpanRotation);
      return [data.totals.totalClicks, data.totals.uniqueClicks, data.uniquesSpanRotation];
    };
    await api.visitAs(shortCode);
    await api.settle();
    api.clock.advance(hour);
    expect(await read(start - 2 * day)).toEqual([1, 1, false]);
    api.clock.advance(day);
    await api.visitAs(shortCode);
    await api.visitAs(shortCode);
    await api.settle();
    api.clock.advance(1);
    expect(await read(start)).toEqual([3, 2, true]);
    expect(await read(begin)).toEqual([2, 1, false]);
    await api.stop();
  });
});
