import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClockCache } from './clock-cache.js';

function recordingMap(max: number) {
  const evicted: string[] = [];
  const map = new ClockCache<string, number>({
    maxEntries: max,
    maxSize: Number.POSITIVE_INFINITY,
    sizeOf: () => 1,
    onEvict: (key) => evicted.push(key),
  });
  return { map, evicted };
}

/** A cache whose entries have the size of their value. */
function sizedMap(maxSize: number) {
  const evicted: string[] = [];
  const map = new ClockCache<string, number>({
    maxEntries: 100,
    maxSize,
    sizeOf: (_, value) => value,
    onEvict: (key) => evicted.push(key),
  });
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

  it('evicts entries until a large one fits, and no more', () => {
    const { map, evicted } = sizedMap(10);
    for (const key of ['a', 'b', 'c']) map.set(key, 3);
    map.set('d', 5);
    expect(evicted).toEqual(['a', 'b']);
    expect(map.size).toBe(8);
  });

  it('evicts others when a value is replaced by a larger one', () => {
    const { map, evicted } = sizedMap(10);
    map.set('a', 5);
    map.set('b', 5);
    map.set('a', 6);
    expect(evicted).toEqual(['b']);
    expect(map.get('a')).toBe(6);
  });

  it('does not store an entry that is larger than its maximum size, and evicts no other', () => {
    const { map, evicted } = sizedMap(10);
    map.set('a', 5);
    map.set('b', 11);
    expect(evicted).toEqual(['b']);
    expect(map.get('b')).toBeUndefined();
    expect(map.get('a')).toBe(5);
  });

  it('never exceeds its maxima, sums its size correctly, and returns the last value set', () => {
    const step = fc.record({
      act: fc.constantFrom('set', 'set', 'set', 'get', 'delete', 'clear'),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      value: fc.integer({ min: 0, max: 12 }),
    });
    const limits = fc.record({
      maxEntries: fc.integer({ min: 1, max: 4 }),
      maxSize: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 60 }), ({ maxEntries, maxSize }, steps) => {
        const model = new Map<string, number>();
        const sizeOfModel = () => [...model.values()].reduce((sum, value) => sum + value, 0);
        const map = new ClockCache<string, number>({
          maxEntries,
          maxSize,
          sizeOf: (_, value) => value,
          onEvict: (key) => {
            // The model already has the entry that is being set.
            expect(model.size > maxEntries || sizeOfModel() > maxSize).toBe(true);
            model.delete(key);
          },
        });
        for (const { act, key, value } of steps) {
          if (act === 'set') {
            model.set(key, value);
            map.set(key, value);
          } else if (act === 'delete') {
            map.delete(key);
            model.delete(key);
          } else if (act === 'clear') {
            map.clear();
            model.clear();
          } else expect(map.get(key)).toBe(model.get(key));
          expect(map.size).toBe(sizeOfModel());
          expect(map.size).toBeLessThanOrEqual(maxSize);
          expect(model.size).toBeLessThanOrEqual(maxEntries);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
