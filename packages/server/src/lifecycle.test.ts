import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PeriodicService, type Service, stopAll } from './lifecycle.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Run {
  resolve(): void;
  reject(error: Error): void;
}

/** Work whose ticks the test ends. */
function controlledService() {
  const runs: Run[] = [];
  const errors: unknown[] = [];
  const service = new PeriodicService({
    name: 'work',
    everyMs: 1000,
    tick: () => new Promise<void>((resolve, reject) => runs.push({ resolve, reject })),
    onError: (error) => errors.push(error),
  });
  return { service, runs, errors };
}

describe('PeriodicService', () => {
  it('ticks at the interval after its start, and after the previous tick ended', async () => {
    const { service, runs } = controlledService();
    service.start();
    await vi.advanceTimersByTimeAsync(999);
    expect(runs).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(9000);
    expect(runs).toHaveLength(1);
    runs[0]?.resolve();
    await vi.advanceTimersByTimeAsync(999);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(2);
  });

  it('ticks less often while there is nothing to do, until it is woken', async () => {
    let ticks = 0;
    let isEmpty = true;
    const service = new PeriodicService({
      name: 'work',
      everyMs: 1000,
      idleEveryMs: 10_000,
      tick: async () => {
        ticks += 1;
        return !isEmpty;
      },
      onError: () => {},
    });
    service.start();
    await vi.advanceTimersByTimeAsync(1000);
    expect(ticks).toBe(1);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(ticks).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(ticks).toBe(2);
    isEmpty = false;
    for (let half = 0; half < 2; half += 1) {
      service.wake();
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(ticks).toBe(3);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ticks).toBe(4);
    await service.stop();
    service.wake();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(ticks).toBe(4);
  });

  it('reports an error once until it clears, and again when it returns or changes', async () => {
    const { service, runs, errors } = controlledService();
    service.start();
    const faults = ['away', 'away', 'full', undefined, 'full', 'full'];
    for (const [at, fault] of faults.entries()) {
      await vi.advanceTimersByTimeAsync(1000);
      if (fault === undefined) runs[at]?.resolve();
      else runs[at]?.reject(new Error(fault));
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(errors).toEqual(['away', 'full', 'full'].map((fault) => new Error(fault)));
  });

  it('stops when the tick in progress has ended, and ticks no more', async () => {
    const { service, runs } = controlledService();
    service.start();
    await vi.advanceTimersByTimeAsync(1000);
    let stopped = 0;
    const stops = [service.stop(), service.stop()].map((stop) => stop.then(() => (stopped += 1)));
    await vi.advanceTimersByTimeAsync(10);
    expect(stopped).toBe(0);
    runs[0]?.resolve();
    await Promise.all(stops);
    await vi.advanceTimersByTimeAsync(9000);
    expect(runs).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('stopAll stops in reverse order, the others when one fails, and then throws every error', async () => {
  const order: string[] = [];
  const named = (name: string, error?: Error): Service => ({
    name,
    start() {},
    async stop() {
      order.push(`${name} stops`);
      await Promise.resolve();
      order.push(`${name} has stopped`);
      if (error) throw error;
    },
  });
  const error = new Error('stuck');
  await expect(stopAll([named('a'), named('b', error), named('c', error)])).rejects.toMatchObject({
    errors: [error, error],
  });
  expect(order).toEqual(
    ['c', 'b', 'a'].flatMap((name) => [`${name} stops`, `${name} has stopped`]),
  );
});
