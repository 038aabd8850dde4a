import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StallTimer } from './stall-timer.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('detects a body that stops after the time of grace', () => {
  const onStall = vi.fn();
  const timer = new StallTimer(5_000, onStall);
  timer.add(16 * 1024);
  timer.start();
  vi.advanceTimersByTime(6_999);
  expect(onStall).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2);
  expect(onStall).toHaveBeenCalledOnce();
});

it('lets a body pass that arrives at the minimum rate', () => {
  const onStall = vi.fn();
  const timer = new StallTimer(1_000, onStall);
  timer.start();
  for (let second = 0; second < 30; second += 1) {
    timer.add(8 * 1024);
    vi.advanceTimersByTime(1_000);
    timer.start();
  }
  timer.stop();
  vi.advanceTimersByTime(60_000);
  expect(onStall).toHaveBeenCalledTimes(0);
});
