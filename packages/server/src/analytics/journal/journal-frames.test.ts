import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FrameScan, scanFrames, toFrame } from './journal-frames.js';

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
  .map((each) => each.replaceAll('\n', ' '));
const texts = fc.array(text, { minLength: 1, maxLength: 6 });

/** Returns the frames of texts, and the range of each. */
function framesOf(lines: readonly string[]) {
  const frames = lines.map((line) => Buffer.from(toFrame(line)));
  let start = 0;
  const ranges = frames.map(({ length }) => {
    start += length;
    return { start: start - length, end: start };
  });
  return { bytes: Buffer.concat(frames), ranges };
}

/** Scans all bytes of a journal whose writer has ended. */
function scanAll(bytes: Buffer): FrameScan {
  const { texts: found, damaged, end } = scanFrames(bytes);
  const torn = end < bytes.length ? [{ start: end, end: bytes.length }] : [];
  return { texts: found, damaged: [...damaged, ...torn], end: bytes.length };
}

describe('frames', () => {
  it('return their texts', () => {
    fc.assert(
      fc.property(texts, (lines) => {
        expect(scanFrames(framesOf(lines).bytes)).toMatchObject({ texts: lines, damaged: [] });
      }),
    );
  });

  it('are readable text, one in a line', () => {
    expect(toFrame('call\torganization\t5')).toBe('2001354850e90call\torganization\t5\n');
  });

  it('are found whole, wherever a reader stops in between', () => {
    fc.assert(
      fc.property(texts, fc.nat(), (lines, seed) => {
        const { bytes } = framesOf(lines);
        const first = scanFrames(bytes.subarray(0, seed % (bytes.length + 1)));
        const rest = scanFrames(bytes.subarray(first.end));
        expect([...first.texts, ...rest.texts]).toEqual(lines);
        expect([...first.damaged, ...rest.damaged]).toEqual([]);
      }),
    );
  });

  it('survive when any single byte of others has any wrong value', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.integer({ min: 1, max: 255 }), (lines, seed, change) => {
        const { bytes, ranges } = framesOf(lines);
        const at = seed % bytes.length;
        bytes[at] = (bytes[at] as number) ^ change;
        const undamaged = lines.filter((_, index) => {
          const { start, end } = ranges[index] as (typeof ranges)[number];
          return at < start || at >= end;
        });
        const found = scanAll(bytes);
        // A frame whose line feed is wrong is intact.
        const wrongLineFeed = ranges.findIndex(({ end }) => end - 1 === at);
        expect(found.texts).toEqual(wrongLineFeed < 0 ? undamaged : lines);
        expect(found.damaged.some(({ start, end }) => start <= at && at < end)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('survive when other bytes are overwritten, removed or inserted', () => {
    const damage = fc.record({
      seed: fc.nat(),
      removed: fc.integer({ min: 0, max: 60 }),
      inserted: fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        fc.constant(new Uint8Array(60)),
        // Looks like the header of a long frame.
        fc.constant(Buffer.from('2ffff00000000')),
      ),
    });
    fc.assert(
      fc.property(texts, damage, (lines, { seed, removed, inserted }) => {
        const { bytes, ranges } = framesOf(lines);
        const start = seed % bytes.length;
        const end = Math.min(bytes.length, start + removed);
        const damaged = Buffer.concat([bytes.subarray(0, start), inserted, bytes.subarray(end)]);
        const undamaged = lines.filter((_, index) => {
          const range = ranges[index] as (typeof ranges)[number];
          return range.end <= start || range.start >= end;
        });
        const found = scanAll(damaged).texts;
        for (const line of undamaged) expect(found).toContain(line);
        expect(found.length).toBeLessThanOrEqual(lines.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are not found in a row of zeros of which one is damaged', () => {
    const { bytes } = framesOf(['visitorKey=0000000000000000', 'b']);
    bytes.write('2', bytes.indexOf('=') + 1);
    expect(scanAll(bytes)).toMatchObject({ texts: ['b'], damaged: [{ start: 0 }] });
  });

  it('refuse an empty text', () => {
    expect(() => toFrame('')).toThrow('must not be empty');
  });

  it('refuse a text that is longer than the length can say', () => {
    expect(() => toFrame('x'.repeat(65_536))).toThrow('65536 bytes are too many');
  });
});
