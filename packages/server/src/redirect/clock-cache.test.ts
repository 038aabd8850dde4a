import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClockCache } from './clock-cache.js';

function recordingMap(max: number) {
  const evicted: string[] = [];
  const map = new ClockCache<string, number>(max, (key) => evicted.push(key));
  return { map, evicted };
}

describe('ClockCache', () => {
  it('evicts the oldest entry that was not read', () => {
    const { map, evicted } = recordingMap(3);
    for (const [at, key] of ['a', 'b', 'c'].entries()) map.set(key, at);
    map.get('a');
    map.set('d', 3);
    expect(evicted).toEqual(['b']);
    expect(map.get('a')).toBe(0);
  });

  it('evicts the oldest entry when all were read', () => {
    const { map, evicted } = recordingMap(2);
    map.set('a', 0);
    map.set('b', 1);
    map.get('b');
    map.get('a');
    map.set('c', 2);
    expect(evicted).toEqual(['a']);
  });

  it('replaces a value without an eviction', () => {
    const { map, evicted } = recordingMap(2);
    map.set('a', 0);
    map.set('b', 1);
    map.set('a', 2);
    expect(map.get('a')).toBe(2);
    expect(evicted).toEqual([]);
  });

  it('evicts entries of a large cache as fast as those of a small one', () => {
    const usEach = (max: number) => {
      const { map } = recordingMap(max);
      for (let at = 0; at < max; at += 1) map.set(String(at), at);
      const startedAt = performance.now();
      for (let at = 0; at < 200_000; at += 1) map.set(`new ${at}`, at);
      return (performance.now() - startedAt) / 200;
    };
    usEach(1_000);
    // Memory access makes a small difference; a walk over removed entries takes 100 times as long.
    expect(usEach(100_000) / usEach(1_000)).toBeLessThan(20);
  });

  it('never exceeds its maximum and returns the last value set', () => {
    const step = fc.record({
      act: fc.constantFrom('set', 'set', 'get', 'delete', 'clear'),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step), (max, steps) => {
        const model = new Map<string, number>();
        const map = new ClockCache<string, number>(max, (key) => model.delete(key));
        for (const [at, { act, key }] of steps.entries()) {
          if (act === 'set') {
            map.set(key, at);
            model.set(key, at);
          } else if (act === 'delete') {
            map.delete(key);
            model.delete(key);
          } else if (act === 'clear') {
            map.clear();
            model.clear();
          } else expect(map.get(key)).toBe(model.get(key));
          expect(model.size).toBeLessThanOrEqual(max);
        }
      }),
    );
  });
});
