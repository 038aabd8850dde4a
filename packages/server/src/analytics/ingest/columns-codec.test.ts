import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Visit } from '../journal/journal-lines.js';
import { decodeColumns, encodeColumns } from './columns-codec.js';
import { toColumns } from './visit-columns.js';

const word = fc.stringMatching(/^[^\p{Cc}]{0,20}$/u);
const key = fc.stringMatching(/^[0-9a-f]{16}$/);
const visit: fc.Arbitrary<Visit> = fc.record({
  urlId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  visitedAt: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
  isByCode: fc.boolean(),
  facts: fc.record({
    kind: fc.constantFrom('human', 'bot'),
    reason: fc.constantFrom('browser', 'isbot'),
    country: fc.constantFrom('DE', 'Unknown'),
    deviceType: fc.constantFrom('desktop', 'other'),
    browser: word,
    os: word,
    referrerDomain: word,
    referrerType: fc.constantFrom('direct', 'other'),
    visitorKey: fc.option(key),
    addressKey: key,
    scannerApp: fc.option(word),
    evidence: fc.integer({ min: 0, max: 31 }),
  }),
}) as fc.Arbitrary<Visit>;

test('decodes what was encoded', () => {
  fc.assert(
    fc.property(fc.array(visit, { maxLength: 40 }), (visits) => {
      const columns = toColumns(visits);
      const bytes = encodeColumns(columns);
      const read = decodeColumns(bytes);
      expect(encodeColumns(read).equals(bytes)).toBe(true);
      expect([...(read.urlIds ?? [])]).toEqual(visits.map(({ urlId }) => urlId));
      expect([...read.visitedAt]).toEqual(visits.map(({ visitedAt }) => visitedAt));
      const { values, codes } = read.dictionaries.browser;
      expect([...codes].map((code) => values[code])).toEqual(
        visits.map(({ facts }) => facts.browser),
      );
    }),
  );
});

test('decodes bytes at any offset in memory', () => {
  const visits = fc.sample(visit, { numRuns: 5, seed: 1 });
  const bytes = encodeColumns(toColumns(visits));
  const shifted = new Uint8Array(bytes.length + 3);
  shifted.set(bytes, 3);
  const read = decodeColumns(shifted.subarray(3));
  expect(encodeColumns(read).equals(bytes)).toBe(true);
});

test('a column with more than 256 values has codes of two bytes', () => {
  const [one] = fc.sample(visit, { numRuns: 1, seed: 2 }) as [Visit];
  const visits = Array.from({ length: 300 }, (_, index) => ({
    ...one,
    facts: { ...one.facts, browser: `Browser ${index}` },
  }));
  const { values, codes } = decodeColumns(encodeColumns(toColumns(visits))).dictionaries.browser;
  expect(codes).toBeInstanceOf(Uint16Array);
  expect(values[codes[299] as number]).toBe('Browser 299');
});

test('rejects bytes of another version', () => {
  expect(() => decodeColumns(Buffer.alloc(64, 7))).toThrow('visits of version');
});
