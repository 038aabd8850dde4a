import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DistinctKeys, KeyTables } from './distinct-keys.js';

const half = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer());
const keys = fc.array(fc.tuple(half, half), { maxLength: 300 });

test('counts as a set does, whatever is expected', () => {
  fc.assert(
    fc.property(keys, fc.integer({ min: 0, max: 100 }), (added, expected) => {
      const distinct = new DistinctKeys(expected, new KeyTables());
      const set = new Set<string>();
      for (const [high, low] of added) {
        const isNone = high === 0 && low === 0;
        const text = `${high} ${low}`;
        expect(distinct.add(high, low)).toBe(!isNone && !set.has(text));
        if (!isNone) set.add(text);
      }
      expect(distinct.count).toBe(set.size);
    }),
  );
});

test('a table that is used again remembers nothing', () => {
  const tables = new KeyTables();
  const first = new DistinctKeys(100, tables);
  for (let key = 1; key <= 100; key += 1) first.add(key, key);
  first.release();
  const second = new DistinctKeys(100, tables);
  for (let key = 1; key <= 100; key += 1) expect(second.add(key, key)).toBe(true);
});
