import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AttemptLimiter } from './attempt-limiter.js';

const limit = { attempts: 3, windowMs: 1000 };

describe('AttemptLimiter', () => {
  it('lets so many attempts through, then tells how long to wait', () => {
    const limiter = new AttemptLimiter(limit);
    expect([0, 100, 200].map((now) => limiter.take('a', now))).toEqual([0, 0, 0]);
    expect(limiter.take('a', 300)).toBe(700);
    expect(limiter.take('a', 999)).toBe(1);
  });

  it('starts anew at the end of the window, not before', () => {
    const limiter = new AttemptLimiter(limit);
    for (let at = 0; at < 4; at += 1) limiter.take('a', 0);
    expect(limiter.take('a', 1000)).toBe(0);
  });

  it('is not drawn out by those who go on guessing', () => {
    const limiter = new AttemptLimiter(limit);
    for (let now = 0; now < 1000; now += 10) limiter.take('a', now);
    expect(limiter.take('a', 1000)).toBe(0);
  });

  it('counts guessers apart', () => {
    const limiter = new AttemptLimiter(limit);
    for (let at = 0; at < 4; at += 1) limiter.take('a', 0);
    expect(limiter.take('b', 0)).toBe(0);
  });

  it('gives back an attempt that was right, and never more than were taken', () => {
    const limiter = new AttemptLimiter(limit);
    limiter.giveBack('a');
    limiter.take('a', 0);
    limiter.giveBack('a');
    limiter.giveBack('a');
    expect([1, 2, 3].map((now) => limiter.take('a', now))).toEqual([0, 0, 0]);
    expect(limiter.take('a', 4)).toBe(996);
  });

  it('lets pass what is known to be right, however much of it, until the guesser may not guess', () => {
    const limiter = new AttemptLimiter(limit);
    for (let at = 0; at < 64; at += 1) expect(limiter.take('a', at, true)).toBe(0);
    expect([64, 65, 66].map((now) => limiter.take('a', now))).toEqual([0, 0, 0]);
    expect(limiter.take('a', 67, true)).toBe(933);
  });

  it('never lets more than its attempts fail within one window of any guesser', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.nat(400)), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (visits) => {
        const limiter = new AttemptLimiter(limit);
        const windows = new Map<string, { startedAt: number; passed: number }>();
        let now = 0;
        for (const [guesser, passes] of visits) {
          now += passes;
          const window = windows.get(guesser);
          const isOpen = window !== undefined && now < window.startedAt + limit.windowMs;
          const expected = isOpen && window.passed >= limit.attempts;
          const waitMs = limiter.take(guesser, now);
          expect(waitMs > 0).toBe(expected);
          if (isOpen) window.passed += 1;
          else windows.set(guesser, { startedAt: now, passed: 1 });
        }
      }),
    );
  });
});
