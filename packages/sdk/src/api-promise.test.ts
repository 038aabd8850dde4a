import { expect, it } from 'vitest';
import { ApiPromise, type WithResponse } from './api-promise.js';

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

it('reports an unhandled rejection once, and nothing if withResponse is handled', async () => {
  await expect(unhandledDuring(() => void rejected())).resolves.toHaveLength(1);
  const ignored = () => void rejected().withResponse();
  await expect(unhandledDuring(ignored)).resolves.toHaveLength(1);
  const taken = () =>
    void rejected()
      .withResponse()
      .catch(() => {});
  await expect(unhandledDuring(taken)).resolves.toEqual([]);
});
