import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Int32Pool } from './int32-pool.js';
import { KeySet } from './key-set.js';

// Keys that differ in one half, and many in the same place of the table.
const half = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer());
const key = fc.tuple(half, half);

test('has the keys that were added, as often as they were added', () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 300 }), fc.array(key), (added, others) => {
      const set = new KeySet(new Int32Pool(), added.length);
      for (const [high, low] of added) set.add(high, low);
      const texts = new Set(added.map(String));
      // Visitors without a key.
      texts.delete('0,0');
      expect(set.size).toBe(texts.size);
      for (const each of [...added, ...others]) {
        expect(set.has(...each)).toBe(texts.has(String(each)));
      }
    }),
  );
});

test('is the same multiset as a map, when occurrences are added and removed in any order', () => {
  const change = fc.record({ key, count: fc.integer({ min: -2, max: 2 }) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 300 }), fc.nat({ max: 200 }), (changes, more) => {
      const pool = new Int32Pool();
      const set = new KeySet(pool, changes.length);
      const expected = new Map<string, number>();
      for (const { key: each, count } of changes) {
        const left = (expected.get(String(each)) ?? 0) + count;
        if (String(each) === '0,0' || count === 0) continue;
        if (count > 0) set.add(...each, count);
        else expect(set.remove(...each, -count)).toBe(left >= 0);
        if (left > 0) expected.set(String(each), left);
        else if (left === 0) expected.delete(String(each));
      }
      const copy = set.copy(set.size + more);
      set.release();
      const found = new Map<string, number>();
      copy.forEach((high, low, count) => {
        found.set(`${high},${low}`, count);
      });
      expect(copy.size).toBe(expected.size);
      expect(found).toEqual(expected);
      for (const { key: each } of changes) {
        expect(copy.has(...each)).toBe(expected.has(String(each)));
      }
      copy.add(1, 1, 300);
      const restored = KeySet.fromStored(pool, copy.toStored());
      const all = (of: KeySet) => {
        const keys: string[] = [];
        of.forEach((...each) => {
          keys.push(String(each));
        });
        return keys.sort();
      };
      expect(all(restored)).toEqual(all(copy));
      expect(restored.size).toBe(copy.size);
      for (const each of [copy, restored]) each.release();
      expect(pool.usedBytes).toBe(0);
    }),
  );
});

test('has all keys at its largest load, and releases its memory', () => {
  const pool = new Int32Pool();
  const keyAt = (index: number) =>
    [Math.imul(index + 1, 0x9e3779b1), Math.imul(index, 0x85ebca6b) ^ 7] as const;
  const count = 49_152;
  const set = new KeySet(pool, count);
  for (let index = 0; index < count; index += 1) set.add(...keyAt(index));
  expect([set.size, set.bytes]).toEqual([count, 65_536 * 12]);
  const wrong = Array.from({ length: 2 * count }, (_, index) => index).filter(
    (index) => set.has(...keyAt(index)) !== index < count,
  );
  expect(wrong).toEqual([]);
  set.release();
  expect(pool.usedBytes).toBe(0);
  // The memory is used again.
  expect(new KeySet(pool, count).has(...keyAt(1))).toBe(false);
});
