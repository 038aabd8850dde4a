import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createDeduper, type DedupeStore, DeliveryInProgressError, isStale } from './dedupe.js';

describe('createDeduper', () => {
  it('runs the work again after a failure', async () => {
    const deduper = createDeduper();
    const failure = new Error('no disk');
    const failing = () => {
      throw failure;
    };
    await expect(deduper.once('a', failing)).rejects.toBe(failure);
    expect(await deduper.once('a', () => undefined)).toBe(true);
  });

  it('makes a repeated call wait for the first, and settle like it', async () => {
    const deduper = createDeduper();
    const work = vi.fn(() => nextTurn());
    const calls = [deduper.once('a', work), deduper.once('a', work), deduper.once('a', work)];
    expect(await Promise.all(calls)).toEqual([true, false, false]);
    const failure = new Error('no disk');
    const failing = vi.fn(() => nextTurn().then(() => Promise.reject(failure)));
    const failed = [deduper.once('b', failing), deduper.once('b', failing)];
    for (const each of failed) await expect(each).rejects.toBe(failure);
    expect(work).toHaveBeenCalledOnce();
    expect(failing).toHaveBeenCalledOnce();
  });

  it('stores an id for ttlMs after its work, even if it is repeated', async () => {
    let now = 0;
    const deduper = createDeduper({ ttlMs: 100, now: () => now });
    const again = () => deduper.once('a', () => undefined);
    expect(await again()).toBe(true);
    now = 60;
    expect(await again()).toBe(false);
    now = 99;
    expect(await again()).toBe(false);
    now = 100;
    expect(await again()).toBe(true);
  });

  it('stores at most max ids and evicts the oldest', async () => {
    const deduper = createDeduper({ max: 2 });
    const runs = (id: string) => deduper.once(id, () => undefined);
    for (const id of ['a', 'b', 'c']) await runs(id);
    expect([await runs('c'), await runs('b'), await runs('a')]).toEqual([false, false, true]);
  });

  it('claims, finishes and releases ids in a shared store', async () => {
    const states = new Map<string, string>([
      ['elsewhere', 'running'],
      ['old', 'done'],
    ]);
    const store: DedupeStore = {
      async claim(id, leaseMs) {
        const state = states.get(id);
        if (state !== undefined) return state === 'running' ? 'running' : 'done';
        states.set(id, `claimed for ${leaseMs}`);
        return 'claimed';
      },
      async finish(id, ttlMs) {
        states.set(id, `done for ${ttlMs}`);
      },
      async release(id) {
        states.delete(id);
      },
    };
    const deduper = createDeduper({ store, ttlMs: 5000, leaseMs: 70 });
    const during: unknown[] = [];
    expect(await deduper.once('new', () => during.push(states.get('new')))).toBe(true);
    expect([...during, states.get('new')]).toEqual(['claimed for 70', 'done for 5000']);

    expect(await deduper.once('old', () => undefined)).toBe(false);
    const busy = await deduper.once('elsewhere', () => undefined).catch((error) => error);
    expect(busy).toBeInstanceOf(DeliveryInProgressError);
    expect(busy).toMatchObject({
      name: 'DeliveryInProgressError',
      code: 'delivery_in_progress',
      message: 'elsewhere: another process runs its work; retry later',
      statusCode: 503,
      headers: { 'retry-after': '1' },
    });
    await expect(deduper.once('bad', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(states.has('bad')).toBe(false);
  });

  it('reports the error of the work if the store fails too', async () => {
    const work = new Error('work');
    const store: DedupeStore = {
      claim: () => 'claimed',
      finish: () => undefined,
      release: () => Promise.reject(new Error('disk')),
    };
    const once = createDeduper({ store }).once('a', () => Promise.reject(work));
    await expect(once).rejects.toBe(work);
  });

  it.each([undefined, null, ''])('refuses work with the id %o', async (id) => {
    const once = createDeduper().once(id as string, () => undefined);
    await expect(once).rejects.toThrow(new TypeError(`id ${id}: must be the id of a delivery`));
  });

  it.each<[object, string]>([
    [{ ttlMs: 0 }, 'ttlMs 0: must be a number above 0'],
    [{ max: '10' }, 'max "10": must be a number above 0'],
    [{ leaseMs: Number.NaN }, 'leaseMs NaN: must be a number above 0'],
    [{ now: 5 }, 'now 5: must be a function'],
    [{ store: new Map() }, 'store [object Map]: must be an object with claim, finish and release'],
  ])('refuses %o', (options, message) => {
    expect(() => createDeduper(options)).toThrow(new TypeError(message));
  });
});

describe('isStale', () => {
  const event = { createdAt: '2025-06-01T12:00:00.500Z' };

  it.each<[string, Date | string | null | undefined, boolean]>([
    ['no event', undefined, false],
    ['no time', null, false],
    ['an older event', '2025-06-01T12:00:00.499Z', false],
    ['an event of the same millisecond', '2025-06-01T12:00:00.500Z', false],
    ['a newer event', '2025-06-01T12:00:00.501Z', true],
    ['an older event in another zone', '2025-06-01T13:00:00.000+02:00', false],
    ['a newer Date', new Date('2025-06-02'), true],
  ])('compares with %s', (_name, lastSeen, expected) => {
    expect(isStale(event, lastSeen)).toBe(expected);
  });

  it('throws for a time that is none', () => {
    expect(() => isStale(event, 'yesterday')).toThrow('lastSeen yesterday: must be a time');
  });
});
