import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FakePorts } from '../test/fake-ports.js';
import { runWithin, settleOrAbort, wait } from './run-within.js';

const hang = () => new Promise<never>(() => {});
const createTimeoutError = () => new Error('too late');

describe('runWithin', () => {
  it('returns the result or the error of the work', async () => {
    const ports = new FakePorts();
    const limits = { signal: undefined, timeoutMs: 10, createTimeoutError };
    await expect(runWithin(limits, ports, async () => 7)).resolves.toBe(7);
    const fault = new Error('fault');
    await expect(runWithin(limits, ports, () => Promise.reject(fault))).rejects.toBe(fault);
    expect(ports.running).toBe(0);
  });

  it('rejects and aborts the work after timeoutMs, even if the work ignores the signal', async () => {
    const ports = new FakePorts();
    let inner: AbortSignal | undefined;
    const run = runWithin({ signal: undefined, timeoutMs: 10, createTimeoutError }, ports, (s) => {
      inner = s;
      return hang();
    });
    ports.advance(9);
    expect(inner?.aborted).toBe(false);
    ports.advance(1);
    await expect(run).rejects.toThrow('too late');
    expect(inner?.aborted).toBe(true);
  });

  it('leaves no listeners on a reused signal', async () => {
    const ports = new FakePorts();
    const { signal } = new AbortController();
    for (let run = 0; run < 20; run++) {
      await runWithin({ signal, timeoutMs: 10, createTimeoutError }, ports, async () => run);
      const waited = wait(5, signal, ports);
      ports.advance(5);
      await waited;
      await settleOrAbort(Promise.resolve(), signal);
    }
    await Promise.resolve();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(ports.running).toBe(0);
  });

  it('leaves no listeners and timers if the work throws before it returns a promise', async () => {
    const ports = new FakePorts();
    const { signal } = new AbortController();
    const run = runWithin({ signal, timeoutMs: 10, createTimeoutError }, ports, () => {
      throw new Error('fault');
    });
    await expect(run).rejects.toThrow('fault');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(ports.running).toBe(0);
  });
});

describe('wait', () => {
  it('ends after the delay and not before', async () => {
    const ports = new FakePorts();
    let isOver = false;
    const waited = wait(100, new AbortController().signal, ports).then(() => {
      isOver = true;
    });
    ports.advance(99);
    await Promise.resolve();
    expect(isOver).toBe(false);
    ports.advance(1);
    await waited;
    expect(isOver).toBe(true);
  });

  it('does not start if the signal is aborted', async () => {
    const ports = new FakePorts();
    const reason = new Error('enough');
    await expect(wait(100, AbortSignal.abort(reason), ports)).rejects.toBe(reason);
    expect(ports.running).toBe(0);
  });
});
