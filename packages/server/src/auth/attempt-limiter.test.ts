import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AttemptLimiter } from './attempt-limiter.js';

const limit = { attempts: 3, windowMs: 1000 };

describe('AttemptLimiter', () => {
  it('allows the attempts of a window, then returns the time to wait', () => {
    const limiter = new AttemptLimiter(limit);
    expect([0, 100, 200].map((now) => limiter.take('a', now))).toEqual([0, 0, 0]);
    expect(limiter.take('a', 300)).toBe(700);
    expect(limiter.take('a', 999)).toBe(1);
  });

  it('starts a new window at the end of the last one, not before', () => {
    const limiter = new AttemptLimiter(limit);
    for (let at = 0; at < 4; at += 1) limiter.take('a', 0);
    expect(limiter.take('a', 1000)).toBe(0);
  });

  it('does not extend a window when attempts continue', () => {
    const limiter = new AttemptLimiter(limit);
    for (let now = 0; now < 1000; now += 10) limiter.take('a', now);
    expect(limiter.take('a', 1000)).toBe(0);
  });

  it('counts each client key separately', () => {
    const limiter = new AttemptLimiter(limit);
    for (let at = 0; at < 4; at += 1) limiter.take('a', 0);
    expect(limiter.take('b', 0)).toBe(0);
  });

  it('refunds a correct attempt, and never more than were taken', () => {
    const limiter = new AttemptLimiter(limit);
    limiter.refund('a');
    limiter.take('a', 0);
    limiter.refund('a');
    limiter.refund('a');
    expect([1, 2, 3].map((now) => limiter.take('a', now))).toEqual([0, 0, 0]);
    expect(limiter.take('a', 4)).toBe(996);
  });

  it('does not count correct attempts, and refuses them too while the limit is reached', () => {
    const limiter = new AttemptLimiter(limit);
    for (let at = 0; at < 64; at += 1) expect(limiter.take('a', at, true)).toBe(0);
    expect([64, 65, 66].map((now) => limiter.take('a', now))).toEqual([0, 0, 0]);
    expect(limiter.take('a', 67, true)).toBe(933);
  });

  it('never allows more failed attempts in one window of a client key', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.nat(400)), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (visits) => {
        const limiter = new AttemptLimiter(limit);
        const windows = new Map<string, { startedAt: number; passed: number }>();
        let now = 0;
        for (const [clientKey, passes] of visits) {
          now += passes;
          const window = windows.get(clientKey);
          const isOpen = window !== undefined && now < window.startedAt + limit.windowMs;
          const expected = isOpen && window.passed >= limit.attempts;
          const waitMs = limiter.take(clientKey, now);
          expect(waitMs > 0).toBe(expected);
          if (isOpen) window.passed += 1;
          else windows.set(clientKey, { startedAt: now, passed: 1 });
        }
      }),
    );
  });
});
