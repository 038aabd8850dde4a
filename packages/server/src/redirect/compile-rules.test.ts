import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInput } from '../contract/parse-input.js';
import { type LinkRule, linkRules } from '../urls/link-rules.js';
import { compileRules } from './cached-rules.js';
import type { RuleVisit } from './compile-conditions.js';

const start = Date.UTC(2030, 0, 1);

function visit({ facts, ...fields }: Partial<Omit<RuleVisit, 'facts'>> & { facts?: object } = {}) {
  return {
    visitedAt: start,
    query: '',
    acceptLanguage: undefined,
    ...fields,
    facts: {
      deviceType: 'mobile',
      os: 'iOS',
      browser: 'Safari',
      country: 'DE',
      referrerDomain: '(direct)',
      visitorKey: '00000000000000aa',
      addressKey: '00000000000000bb',
      ...facts,
    },
  } as RuleVisit;
}

function parse(rules: unknown): LinkRule[] {
  const parsed = parseInput(linkRules, rules);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.details));
  return parsed.value;
}

const targetUrl = 'https://example.com/';
const settings = { parameters: [], forwardsPath: false };
const compile = (rules: unknown, id = 1) => compileRules({ id, rules: parse(rules) }, settings);
const matches = (when: object, of: RuleVisit) =>
  compile([{ when, targetUrl }]).choose(of) !== undefined;

describe('a condition', () => {
  it.each<[boolean, object, Parameters<typeof visit>[0]]>([
    [true, {}, {}],
    [true, { device: ['tablet', 'mobile'] }, {}],
    [false, { device: 'desktop' }, {}],
    [true, { os: 'ios' }, {}],
    [true, { browser: ['firefox', 'safari'] }, {}],
    [false, { browser: 'firefox' }, {}],
    [true, { country: ['AT', 'de'] }, {}],
    [false, { country: 'AT' }, { facts: { country: 'Unknown' } }],
    [true, { language: 'de' }, { acceptLanguage: 'de-AT,en;q=0.8' }],
    [true, { language: 'de-AT' }, { acceptLanguage: ' DE-at ;q=1' }],
    [false, { language: 'de-AT' }, { acceptLanguage: 'de,de-AT' }],
    [true, { language: 'zh-Hant' }, { acceptLanguage: 'zh-Hant-TW' }],
    [false, { language: 'de' }, { acceptLanguage: 'en,de' }],
    [false, { language: 'de' }, { acceptLanguage: 'del' }],
    [false, { language: 'de' }, { acceptLanguage: '*' }],
    [false, { language: 'de' }, {}],
    [true, { query: { ref: 'a b' } }, { query: '?x=1&ref=c&ref=a+b' }],
    [true, { query: { ref: true } }, { query: 'ref' }],
    [false, { query: { ref: true, x: '1' } }, { query: '?ref=' }],
    [false, { query: { ref: '' } }, {}],
    [true, { query: { toString: true } }, { query: '?toString' }],
    [false, { query: { toString: true } }, { query: '?a' }],
    [true, { referrer: 'example.com' }, { facts: { referrerDomain: 'news.example.com' } }],
    [true, { referrer: ['a.example', 'b.example'] }, { facts: { referrerDomain: 'b.example' } }],
    [false, { referrer: 'example.com' }, { facts: { referrerDomain: 'anexample.com' } }],
    [true, { after: '2030-01-01' }, {}],
    [false, { after: '2030-01-01' }, { visitedAt: start - 1 }],
    [false, { before: '2030-01-01' }, {}],
    [true, { before: '2030-01-01' }, { visitedAt: start - 1 }],
    [false, { country: 'DE', os: 'Android' }, {}],
  ])('is %s: %j for %j', (expected, when, fields) => {
    expect(matches(when, visit(fields))).toBe(expected);
  });

  it('that is unknown is an error', () => {
    const rules = [{ when: { moon: ['full'] }, targetUrl }] as unknown as LinkRule[];
    expect(() => compileRules({ id: 1, rules }, settings)).toThrow('unknown condition moon');
  });
});

describe('rules', () => {
  const rules = [
    { name: 'german', when: { country: 'DE', device: 'mobile' }, targetUrl: `${targetUrl}de` },
    {
      when: { country: 'DE' },
      variants: [
        { targetUrl: `${targetUrl}a`, weight: 0 },
        { targetUrl: `${targetUrl}b`, weight: 5 },
      ],
    },
  ];
  const choose = (facts: object) => compile(rules).choose(visit({ facts }));

  it('lead to the target of the first that matches, or to none', () => {
    expect(choose({})).toMatchObject({ location: 'https://example.com/de', variant: 'german' });
    expect(choose({ deviceType: 'tv' })).toMatchObject({
      location: 'https://example.com/b',
      variant: '2/2',
    });
    expect(choose({ country: 'AT' })).toBeUndefined();
  });

  it('set the UTM parameters of the link on each target', () => {
    const compiled = compileRules(
      { id: 1, rules: parse(rules) },
      {
        parameters: [['utm_source', 'mail']],
        forwardsPath: false,
      },
    );
    expect(compiled.choose(visit())).toEqual({
      location: 'https://example.com/de?utm_source=mail',
      campaign: { utmSource: 'mail' },
      targetHostname: 'example.com',
      variant: 'german',
    });
  });

  it('explain which rule matches, with the share of each target, and why others do not', () => {
    expect(compile(rules).explain(visit({ facts: { deviceType: 'tv' } }))).toMatchObject({
      rule: '2',
      outcomes: [
        { target: { variant: '2/1' }, share: 0 },
        { target: { variant: '2/2' }, share: 1 },
      ],
      skipped: [{ rule: 'german', condition: 'device' }],
    });
    expect(compile(rules).explain(visit({ facts: { country: 'AT' } }))).toMatchObject({
      rule: undefined,
      outcomes: [],
      skipped: [
        { rule: 'german', condition: 'country' },
        { rule: '2', condition: 'country' },
      ],
    });
  });

  it('lead where a simple model says', () => {
    const countries = ['DE', 'AT', 'FR'] as const;
    const devices = ['mobile', 'desktop', 'tv'] as const;
    const when = fc.record(
      {
        country: fc.uniqueArray(fc.constantFrom(...countries), { minLength: 1 }),
        device: fc.uniqueArray(fc.constantFrom(...devices), { minLength: 1 }),
        after: fc.constantFrom('2030-01-01T00:00:00.000Z', '2030-01-02T00:00:00.000Z'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.array(when, { maxLength: 6 }),
        fc.constantFrom(...countries),
        fc.constantFrom(...devices),
        fc.constantFrom(start - 1, start, start + 86_400_000),
        (conditions, country, deviceType, visitedAt) => {
          const stored = conditions.map((each, at) => ({ when: each, targetUrl: targetUrl + at }));
          const compiled = compileRules({ id: 1, rules: stored as LinkRule[] }, settings);
          const chosen = compiled.choose(visit({ visitedAt, facts: { country, deviceType } }));
          const expected = conditions.findIndex(
            (each) =>
              (each.country?.includes(country) ?? true) &&
              (each.device?.includes(deviceType) ?? true) &&
              (each.after === undefined || visitedAt >= Date.parse(each.after)),
          );
          expect(chosen?.variant).toBe(expected < 0 ? undefined : String(expected + 1));
          expect(chosen?.location).toBe(expected < 0 ? undefined : targetUrl + expected);
        },
      ),
    );
  });
});
