import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pagesOf } from './read-url-rows.js';

// Runs of consecutive ids, and the gaps before them.
const runs = fc.array(
  fc.record({ gap: fc.integer({ min: 1, max: 3 }), length: fc.integer({ min: 1, max: 9_000 }) }),
  { maxLength: 5 },
);
const singles = fc
  .array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 2_000 })
  .map((ids) => [...new Set(ids)].sort((a, b) => a - b));

function idsOf(described: readonly { readonly gap: number; readonly length: number }[]): number[] {
  const ids: number[] = [];
  for (const { gap, length } of described) {
    const first = (ids.at(-1) ?? 0) + gap;
    for (let id = first; id < first + length; id += 1) ids.push(id);
  }
  return ids;
}

it('pages have each URL once; ranges have consecutive ids, and lists a bounded number', () => {
  fc.assert(
    fc.property(fc.oneof(runs.map(idsOf), singles), (ids) => {
      const pages = [...pagesOf(Float64Array.from(ids))];
      const paged = pages.flatMap(({ urlIds }) => urlIds);
      expect(paged.sort((a, b) => a - b)).toEqual(ids);
      for (const { urlIds, isRange } of pages) {
        expect(urlIds.length).toBeLessThanOrEqual(isRange ? 4_096 : 256);
        const [first = 0, last = 0] = [urlIds[0], urlIds.at(-1)];
        if (isRange) expect(last - first).toBe(urlIds.length - 1);
      }
    }),
  );
});
