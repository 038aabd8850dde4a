import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInput } from '../contract/parse-input.js';
import { type LinkRule, linkRules } from '../urls/link-rules.js';
import { chooseTarget, matchRules, type RuleTarget, type RuleVisit } from './match-rules.js';

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
const matches = (when: object, of: RuleVisit) =>
  matchRules(parse([{ when, targetUrl }]), of).rule !== undefined;

it.each<[boolean, object, Parameters<typeof visit>[0]]>([
  [true, { device: ['tablet', 'mobile'] }, {}],
  [true, { country: ['AT', 'de'] }, {}],
  [true, { language: 'de' }, { acceptLanguage: 'de-AT,en;q=0.8' }],
  [true, { language: 'de-AT' }, { acceptLanguage: ' DE-at ;q=1' }],
  [false, { language: 'de-AT' }, { acceptLanguage: 'de,de-AT' }],
  [true, { language: 'zh-Hant' }, { acceptLanguage: 'zh-Hant-TW' }],
  [false, { language: 'de' }, { acceptLanguage: 'en,de' }],
  [true, { query: { ref: 'a b' } }, { query: '?x=1&ref=c&ref=a+b' }],
  [false, { query: { ref: true, x: '1' } }, { query: '?ref=' }],
  [true, { query: { toString: true } }, { query: '?toString' }],
  [true, { referrer: 'example.com' }, { facts: { referrerDomain: 'news.example.com' } }],
  [false, { referrer: 'example.com' }, { facts: { referrerDomain: 'anexample.com' } }],
  [true, { after: '2030-01-01' }, {}],
  [false, { after: '2030-01-01' }, { visitedAt: start - 1 }],
  [false, { before: '2030-01-01' }, {}],
  [false, { country: 'DE', os: 'Android' }, {}],
])('a condition is %s: %j for %j', (expected, when, fields) => {
  expect(matches(when, visit(fields))).toBe(expected);
});

describe('targets of a rule', () => {
  const keys = Array.from({ length: 20_000 }, (_, index) =>
    createHmac('sha256', 'secret').update(`${index}`).digest('hex').slice(0, 16),
  );
  const chooser = (id: number, weights: readonly number[]) => {
    const targets = weights.map((weight): RuleTarget => ({ targetUrl, weight, variant: '' }));
    return (visitorKey: string) => {
      const { facts } = visit({ facts: { visitorKey } });
      return targets.indexOf(chooseTarget(id, targets, facts) as RuleTarget);
    };
  };
  const someWeights = fc
    .array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 10 })
    .filter((list) => list.some((weight) => weight > 0));
  const urlId = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

  it('divide visitors by their weights, and visitors keep their target', () => {
    fc.assert(
      fc.property(urlId, someWeights, (id, list) => {
        const total = list.reduce((sum, weight) => sum + weight, 0);
        const chosen = keys.map(chooser(id, list));
        for (const [index, weight] of list.entries()) {
          const share = chosen.filter((each) => each === index).length / keys.length;
          const expected = list.length === 1 ? 1 : weight / total;
          // Five standard deviations and a half.
          const tolerance = 5.5 * Math.sqrt((expected * (1 - expected)) / keys.length);
          expect(Math.abs(share - expected)).toBeLessThanOrEqual(tolerance);
        }
        expect(keys.slice(0, 100).map(chooser(id, list))).toEqual(chosen.slice(0, 100));
      }),
      { numRuns: 20 },
    );
  });

  it('change for the visitors between the old and the new share only', () => {
    const [before, after] = [chooser(1, [50, 50]), chooser(1, [60, 40])];
    const changed = keys.filter((key) => before(key) !== after(key));
    expect(Math.abs(changed.length / keys.length - 0.1)).toBeLessThan(0.012);
    expect(changed.every((key) => before(key) === 1 && after(key) === 0)).toBe(true);
  });
});
