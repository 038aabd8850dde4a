import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { periodicService } from './lifecycle.js';

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
  const service = periodicService({
    everyMs: 1000,
    tick: () => new Promise<void>((resolve, reject) => runs.push({ resolve, reject })),
    onError: (error) => errors.push(error),
  });
  return { service, runs, errors };
}

describe('PeriodicService', () => {
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
