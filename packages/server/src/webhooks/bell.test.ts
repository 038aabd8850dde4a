import { expect, it } from 'vitest';
import { Bell } from './bell.js';

const forEver = 1_000_000;

it('wakes who waits', async () => {
  const bell = new Bell();
  const waiting = bell.wait(forEver);
  bell.ring();
  await waiting;
});

it('keeps one ring for who comes later, and no more than one', async () => {
  const bell = new Bell();
  bell.ring();
  bell.ring();
  await bell.wait(forEver);
  const startedAt = performance.now();
  await bell.wait(20);
  expect(performance.now() - startedAt).toBeGreaterThan(15);
});
