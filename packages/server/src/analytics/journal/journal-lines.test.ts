import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkedText, parseTexts, toLine, type Visit, withChecksum } from './journal-lines.js';

const visit: Visit = {
  urlId: 42,
  visitedAt: 1_893_456_000_000,
  isByCode: true,
  facts: {
    kind: 'human',
    reason: 'browser',
    country: 'DE',
    deviceType: 'mobile',
    browser: 'Firefox',
    os: 'Android',
    referrerDomain: 'news.example.com',
    referrerType: 'other',
    visitorKey: '00000000000000aa',
    addressKey: '00000000000000bb',
    scannerApp: 'WeChat',
    evidence: 21,
    region: 'DE-BE',
    city: 'Berlin',
    language: 'de',
    campaign: { utmSource: 'mail=a', utmContent: 'top\n\u2028' },
  },
  variant: 'german/2',
};

const textOf = (line: string) => checkedText(Buffer.from(line.slice(0, -1)));

it('a line of a visit is parsed to the same visit', () => {
  const line = toLine(visit);
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(parseTexts([textOf(line) as string])).toMatchObject({ visits: [visit], unknown: [] });
});

it('a line has its text unless a byte was changed', () => {
  const texts = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(texts, fc.nat(), fc.integer({ min: 1, max: 255 }), (text, seed, change) => {
      const line = withChecksum(text);
      expect(textOf(line)).toBe(text);
      const bytes = Buffer.from(line.slice(0, -1));
      const at = seed % bytes.length;
      bytes[at] = (bytes[at] as number) ^ change;
      expect(checkedText(bytes)).toBeUndefined();
    }),
  );
});
