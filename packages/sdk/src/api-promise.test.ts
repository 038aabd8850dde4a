import { describe, expect, it } from 'vitest';
import { ApiPromise, type WithResponse } from './api-promise.js';

const response = { status: 200, headers: new Headers(), requestId: 'req-1' };
const resolved = () => new ApiPromise(Promise.resolve({ data: 'data', response }));
const rejected = () => new ApiPromise(Promise.reject<WithResponse<string>>(new Error('no')));

/** What a process would report as an unhandled rejection while the work runs. */
async function unhandledDuring(work: () => void): Promise<unknown[]> {
  const others = process.listeners('unhandledRejection');
  const reasons: unknown[] = [];
  const note = (reason: unknown) => reasons.push(reason);
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
  try {
    work();
    await new Promise((resolve) => setImmediate(resolve));
    return reasons;
  } finally {
    process.removeListener('unhandledRejection', note);
    for (const other of others) process.on('unhandledRejection', other);
  }
}

describe('ApiPromise', () => {
  it('is a promise of the data', async () => {
    const promise = resolved();
    expect(promise).toBeInstanceOf(Promise);
    await expect(promise).resolves.toBe('data');
    await expect(Promise.all([promise, 1])).resolves.toEqual(['data', 1]);
  });

  it('derives plain promises', () => {
    const next = resolved().then((data) => data.length);
    expect(next).not.toBeInstanceOf(ApiPromise);
    expect(resolved().finally(() => {})).not.toBeInstanceOf(ApiPromise);
  });

  it('returns the response with the data', async () => {
    await expect(resolved().withResponse()).resolves.toEqual({ data: 'data', response });
  });

  it('rejects with the same error with and without the response', async () => {
    await expect(rejected()).rejects.toThrow('no');
    await expect(rejected().withResponse()).rejects.toThrow('no');
  });

  it('reports an unhandled rejection once', async () => {
    await expect(unhandledDuring(() => void rejected())).resolves.toHaveLength(1);
    const ignored = () => void rejected().withResponse();
    await expect(unhandledDuring(ignored)).resolves.toHaveLength(1);
  });

  it('reports nothing if only withResponse is handled', async () => {
    const taken = () =>
      void rejected()
        .withResponse()
        .catch(() => {});
    await expect(unhandledDuring(taken)).resolves.toEqual([]);
  });
});
