import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import type { Visit } from '../journal/journal-lines.js';
import { decodeColumns, encodeColumns } from './columns-codec.js';
import { toColumns, type VisitColumns } from './visit-columns.js';

const word = fc.stringMatching(/^[^\p{Cc}]{0,20}$/u);
const text = fc.stringMatching(/^[^\p{Cc}]{1,20}$/u);
const key = fc.stringMatching(/^[0-9a-f]{16}$/);
const visit: fc.Arbitrary<Visit> = fc.record({
  urlId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  visitedAt: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
  isByCode: fc.boolean(),
  facts: fc.record({
    kind: fc.constantFrom('human', 'bot'),
    reason: fc.constantFrom('browser', 'isbot'),
    country: fc.constantFrom('DE', 'Unknown'),
    region: fc.constantFrom(null, 'DE-BE'),
    city: fc.option(text),
    deviceType: fc.constantFrom('desktop', 'other'),
    browser: word,
    os: word,
    referrerDomain: word,
    referrerType: fc.constantFrom('direct', 'other'),
    visitorKey: fc.option(key),
    addressKey: key,
    scannerApp: fc.option(word),
    evidence: fc.integer({ min: 0, max: 31 }),
    language: fc.constantFrom(null, 'de'),
    campaign: fc.option(fc.record({ utmSource: text, utmTerm: text }, { requiredKeys: [] })),
  }),
  variant: fc.option(text),
}) as fc.Arbitrary<Visit>;

/** Returns the texts of each visit by the names of their columns, without empty ones. */
function textsOf({ count, dictionaries }: VisitColumns) {
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(
      Object.entries(dictionaries)
        .map(([name, { values, codes }]) => [name, values[codes[index] as number]])
        .filter(([, value]) => value !== ''),
    ),
  );
}

const notEmpty = (texts: object) =>
  Object.fromEntries(Object.entries(texts).filter(([, value]) => value));

const textsOfVisit = ({ facts, variant }: Visit) =>
  notEmpty({
    country: facts.country,
    deviceType: facts.deviceType,
    browser: facts.browser,
    os: facts.os,
    referrer: `${facts.referrerType} ${facts.referrerDomain}`,
    scannerApp: facts.scannerApp,
    language: facts.language,
    region: facts.region,
    city: facts.city && `${facts.city}\t${facts.region ?? 'Unknown'}\t${facts.country}`,
    ...facts.campaign,
    variant,
  });

test('decodes what was encoded', () => {
  fc.assert(
    fc.property(fc.array(visit, { maxLength: 40 }), (visits) => {
      const columns = toColumns(visits);
      const bytes = encodeColumns(columns);
      const read = decodeColumns(bytes);
      expect(encodeColumns(read).equals(bytes)).toBe(true);
      expect([...read.urlIds]).toEqual(visits.map(({ urlId }) => urlId));
      expect([...read.visitedAt]).toEqual(visits.map(({ visitedAt }) => visitedAt));
      expect(textsOf(read)).toEqual(visits.map(textsOfVisit));
    }),
  );
});

test('visits of one link take 8 bytes less each', () => {
  const visits = fc.sample(visit, { numRuns: 40, seed: 3 });
  const sizeOf = (urlIds: number[]) =>
    encodeColumns(toColumns(visits.map((each, at) => ({ ...each, urlId: urlIds[at] ?? 7 }))))
      .length;
  expect(sizeOf([]) + 39 * 8).toBe(sizeOf([1]));
  const ofOne = toColumns(visits.map((each) => ({ ...each, urlId: 7 })));
  expect([...decodeColumns(encodeColumns(ofOne)).urlIds]).toEqual(visits.map(() => 7));
});

test('a column with more than 256 values has codes of two bytes', () => {
  const [one] = fc.sample(visit, { numRuns: 1, seed: 2 }) as [Visit];
  const visits = Array.from({ length: 301 }, (_, index) => ({
    ...one,
    facts: { ...one.facts, browser: `Browser ${index}` },
  }));
  const { values, codes } = decodeColumns(encodeColumns(toColumns(visits))).dictionaries.browser;
  expect(codes).toBeInstanceOf(Uint16Array);
  expect(values[codes[299] as number]).toBe('Browser 299');
});

it('rejects bytes of another version', () => {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32LE(7);
  expect(() => decodeColumns(bytes)).toThrow('visits of version 7: this server reads version 6');
});
