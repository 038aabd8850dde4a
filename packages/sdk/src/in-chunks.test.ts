import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from '../test/collect.js';
import { inChunks } from './in-chunks.js';

describe('inChunks', () => {
  it('splits any input into full chunks and a rest, in order and without loss', async () => {
    const inputs = fc.array(fc.integer(), { maxLength: 350 });
    await fc.assert(
      fc.asyncProperty(inputs, fc.integer({ min: 1, max: 120 }), async (items, size) => {
        const chunks = await collect(inChunks(items, size));
        expect(chunks.flat()).toEqual(items);
        expect(chunks).toHaveLength(Math.ceil(items.length / size));
        for (const chunk of chunks.slice(0, -1)) expect(chunk).toHaveLength(size);
      }),
    );
  });

  it('reads an async iterable lazily, and closes it', async () => {
    const taken: number[] = [];
    let isClosed = false;
    async function* source() {
      try {
        for (let item = 0; ; item++) {
          taken.push(item);
          yield item;
        }
      } finally {
        isClosed = true;
      }
    }
    for await (const chunk of inChunks(source(), 3)) {
      expect(chunk).toEqual([0, 1, 2]);
      break;
    }
    expect(taken).toEqual([0, 1, 2]);
    expect(isClosed).toBe(true);
  });
});
