import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Limit, MemoryLimits } from './limits.js';

const even: Limit = { name: 'even', units: 3, windowMs: 60_000, restores: 'evenly' };
const windowed: Limit = { name: 'windowed', units: 3, windowMs: 1000, restores: 'at once' };

/** Takes units at several times, and returns what is granted. */
function takeAt(limit: Limit, times: readonly number[], asked = 1): number[] {
  let now = 0;
  const limits = new MemoryLimits(() => now);
  return times.map((time) => {
    now = time;
    return limits.take(limit, 'a', asked).granted;
  });
}

describe('a limit that restores evenly', () => {
  it('grants all units at once, and then one after each part of the window', () => {
    expect(takeAt(even, [0, 0, 0, 0, 19_999, 20_000, 20_000, 80_000])).toEqual([
      1, 1, 1, 0, 0, 1, 0, 1,
    ]);
  });

  it('grants what is left when more is asked for', () => {
    expect(takeAt(even, [0, 0, 40_000], 2)).toEqual([2, 1, 2]);
  });

  it('does not extend the wait for refused requests', () => {
    const times = Array.from({ length: 201 }, (_, at) => at * 100);
    expect(takeAt(even, [0, 0, 0, ...times]).at(-1)).toBe(1);
  });

  it('works when the clock is set back', () => {
    expect(takeAt({ ...even, units: 2 }, [60_000, 0, 0, 30_000])).toEqual([1, 1, 0, 1]);
  });
});

describe('a limit that restores at once', () => {
  it('grants its units in a window that begins with the first one', () => {
    expect(takeAt(windowed, [500, 600, 700, 800, 1499, 1500, 1500])).toEqual([1, 1, 1, 0, 0, 1, 1]);
  });

  it('returns the time until the window ends, and 0 while a unit is left', () => {
    const limits = new MemoryLimits(() => 0);
    const waits = [0, 1, 1, 1, 1].map((asked) => limits.take(windowed, 'a', asked).waitMs);
    expect(waits).toEqual([0, 0, 0, 1000, 1000]);
  });

  it('gets a refunded unit back, but not in a later window', () => {
    let now = 0;
    const limits = new MemoryLimits(() => now);
    const first = limits.take(windowed, 'a', 1);
    limits.take(windowed, 'a', 2);
    limits.refund(windowed, 'a', first);
    expect(limits.take(windowed, 'a', 2).granted).toBe(1);
    now = 1000;
    limits.take(windowed, 'a', 3);
    limits.refund(windowed, 'a', first);
    expect(limits.take(windowed, 'a', 1).granted).toBe(0);
  });
});

it('counts each key and each limit separately', () => {
  const limits = new MemoryLimits(() => 0);
  const grants = [
    limits.take(even, 'a', 3),
    limits.take(even, 'b', 3),
    limits.take(windowed, 'a', 3),
    limits.take(even, 'a', 1),
  ];
  expect(grants.map(({ granted }) => granted)).toEqual([3, 3, 3, 0]);
});

const steps = fc.array(fc.record({ passedMs: fc.nat(700), asked: fc.nat(4) }), { maxLength: 40 });
const sizes = fc.integer({ min: 1, max: 6 });

it('an even limit grants in any interval at most its units and those restored in the interval', () => {
  fc.assert(
    fc.property(sizes, steps, (units, taken) => {
      let now = 0;
      const limits = new MemoryLimits(() => now);
      const grants = taken.map(({ passedMs, asked }) => {
        now += passedMs;
        const { granted } = limits.take({ ...even, units, windowMs: 1000 }, 'a', asked);
        return { now, granted };
      });
      for (const [from, first] of grants.entries()) {
        let sum = 0;
        for (const { now: until, granted } of grants.slice(from)) {
          sum += granted;
          expect(sum).toBeLessThanOrEqual(units + ((until - first.now) * units) / 1000);
        }
      }
    }),
  );
});

it('a window grants all of its units and no more', () => {
  fc.assert(
    fc.property(sizes, steps, (units, taken) => {
      let now = 0;
      const limits = new MemoryLimits(() => now);
      let endsAt = 0;
      let left = 0;
      for (const { passedMs, asked } of taken) {
        now += passedMs;
        if (now >= endsAt) {
          endsAt = now + 1000;
          left = units;
        }
        const expected = Math.min(asked, left);
        left -= expected;
        const grant = limits.take({ ...windowed, units }, 'a', asked);
        expect(grant).toMatchObject({ granted: expected, left, endsAt });
      }
    }),
  );
});
