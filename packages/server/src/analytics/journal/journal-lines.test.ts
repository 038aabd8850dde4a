import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanFrames } from './journal-frames.js';
import { parseTexts, toLine, type Visit } from './journal-lines.js';

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
    campaign: { utmSource: 'mail=a', utmContent: 'top' },
  },
  variant: 'german/2',
};

const textOf = (each: Visit) => scanFrames(Buffer.from(toLine(each))).texts[0] as string;
const parse = (text: string) => parseTexts([text]).visits[0];

describe('the text of a visit', () => {
  it('names its fields', () => {
    expect(textOf(visit).split('\t')).toEqual([
      '2',
      'urlId=42',
      'visitedAt=1893456000000',
      'byCode=1',
      'kind=human',
      'reason=browser',
      'country=DE',
      'deviceType=mobile',
      'browser=Firefox',
      'os=Android',
      'referrerDomain=news.example.com',
      'referrerType=other',
      'visitorKey=00000000000000aa',
      'addressKey=00000000000000bb',
      'scannerApp=WeChat',
      'evidence=21',
      'language=de',
      'region=DE-BE',
      'city=Berlin',
      'utmSource=mail=a',
      'utmContent=top',
      'variant=german/2',
    ]);
  });

  it('is parsed to the same visit', () => {
    expect(parse(textOf(visit))).toEqual(visit);
    const facts = { ...visit.facts, visitorKey: null, scannerApp: null, evidence: 0 };
    const small = {
      ...visit,
      isByCode: false,
      facts: { ...facts, region: null, city: null, language: null, campaign: null },
    };
    expect(parse(textOf(small))).toEqual(small);
  });

  it('may have its fields in any order', () => {
    const [version, ...cells] = textOf(visit).split('\t');
    expect(parse([version, ...cells.reverse()].join('\t'))).toEqual(visit);
    fc.assert(
      fc.property(fc.shuffledSubarray(cells, { minLength: cells.length }), (shuffled) => {
        expect(parse([version, ...shuffled].join('\t'))).toEqual(visit);
      }),
    );
  });

  it('may have empty fields and lack others', () => {
    const [version, ...cells] = textOf(visit).split('\t');
    const isRequired = (cell: string) => /^(?:urlId|visitedAt|kind)=/.test(cell);
    fc.assert(
      fc.property(fc.subarray(cells), (named) => {
        const empty = cells.flatMap((cell) => {
          if (named.includes(cell) || isRequired(cell)) return [cell];
          return [`${cell.split('=', 1)[0]}=`];
        });
        const left = cells.filter((cell) => named.includes(cell) || isRequired(cell));
        const parsed = parse([version, ...empty].join('\t'));
        expect(parsed).toBeDefined();
        expect(parsed).toEqual(parse([version, ...left].join('\t')));
      }),
    );
  });

  it('of a later version may have further fields, which are preserved', () => {
    const parsed = parse(`${textOf(visit)}\tchannel=b`);
    expect(parsed).toEqual({ ...visit, otherFields: new Map([['channel', 'b']]) });
  });

  it('without a field has its default', () => {
    expect(parse('2\turlId=42\tvisitedAt=5\tkind=human')?.facts).toEqual({
      kind: 'human',
      reason: '',
      country: 'Unknown',
      deviceType: 'other',
      browser: 'Unknown',
      os: 'Unknown',
      referrerDomain: '(direct)',
      referrerType: 'direct',
      visitorKey: null,
      addressKey: '0000000000000000',
      scannerApp: null,
      evidence: 0,
      region: null,
      city: null,
      language: null,
      campaign: null,
    });
  });

  it.each([
    ['an unknown version', '3\turlId=42\tvisitedAt=5\tkind=human'],
    ['no link', '2\tvisitedAt=5\tkind=human'],
    ['no time', '2\turlId=42\tkind=human'],
    ['no kind', '2\turlId=42\tvisitedAt=5'],
    ['a link that is no number', '2\turlId=a\tvisitedAt=5\tkind=human'],
    ['a field without a name', '2\turlId=42\tvisitedAt=5\tkind=human\t=x'],
    ['a value without a name', '2\turlId=42\tvisitedAt=5\tkind=human\tx'],
    ['version 1 and too few values', '1\t42\t5\t1\thuman'],
  ])('is not a visit with %s', (_what, text) => {
    const { visits, unknown } = parseTexts([text]);
    expect(visits).toEqual([]);
    expect(unknown).toEqual([text]);
  });
});
