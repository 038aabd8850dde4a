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
  it('does not tick before or at its start', async () => {
    const { service, runs } = controlledService();
    await vi.advanceTimersByTimeAsync(5000);
    service.start();
    await vi.advanceTimersByTimeAsync(999);
    expect(runs).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(1);
  });

  it('ticks again at the interval after the previous tick ended', async () => {
    const { service, runs } = controlledService();
    service.start();
    await vi.advanceTimersByTimeAsync(9000);
    expect(runs).toHaveLength(1);
    runs[0]?.resolve();
    await vi.advanceTimersByTimeAsync(999);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(2);
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

describe('stopAll', () => {
  const service = (name: string, stop: () => Promise<void>): Service => ({
    name,
    start() {},
    stop,
  });

  it('stops in reverse order, one after another', async () => {
    const order: string[] = [];
    const named = (name: string) =>
      service(name, async () => {
        order.push(`${name} stops`);
        await Promise.resolve();
        order.push(`${name} has stopped`);
      });
    await stopAll([named('a'), named('b')]);
    expect(order).toEqual(['b stops', 'b has stopped', 'a stops', 'a has stopped']);
  });

  it('stops the others when one fails, and then throws every error', async () => {
    const stopped: string[] = [];
    const good = service('good', async () => {
      stopped.push('good');
    });
    const bad = service('bad', () => Promise.reject(new Error('stuck')));
    await expect(stopAll([good, bad, bad])).rejects.toMatchObject({
      errors: [new Error('stuck'), new Error('stuck')],
    });
    expect(stopped).toEqual(['good']);
  });
});
