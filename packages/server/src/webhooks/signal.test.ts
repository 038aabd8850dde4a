import { expect, it } from 'vitest';
import { Signal } from './signal.js';

const forEver = 1_000_000;

it('ends a wait', async () => {
  const signal = new Signal();
  const waiting = signal.wait(forEver);
  signal.notify();
  await waiting;
});

it('ends the next wait and no other when it is notified before', async () => {
  const signal = new Signal();
  signal.notify();
  signal.notify();
  await signal.wait(forEver);
  const startedAt = performance.now();
  await signal.wait(20);
  expect(performance.now() - startedAt).toBeGreaterThan(15);
});
