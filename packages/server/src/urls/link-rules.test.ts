import { describe, expect, it } from 'vitest';
import { parseInput } from '../contract/parse-input.js';
import { type LinkRule, linkRules } from './link-rules.js';

const targetUrl = 'https://example.com/de';
const fill = (rule: object) => ({ when: {}, targetUrl, ...rule });

function errorsOf(rules: unknown) {
  const parsed = parseInput(linkRules, rules, ['rules']);
  return parsed.ok ? [] : parsed.details.map(({ path, message }) => `${path} ${message}`);
}

function parse(rules: unknown): LinkRule[] {
  const parsed = parseInput(linkRules, rules);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.details));
  return parsed.value;
}

describe('rules in a request', () => {
  it('have lists of conditions, which are matched in any case', () => {
    const when = {
      device: 'Mobile',
      os: ['iOS', 'Android', 'iOS'],
      browser: 'Firefox',
      country: ['de', 'AT'],
      language: ['DE', 'pt-br', 'ZH-hant'],
      query: { ref: 'mail', utm_id: true },
      referrer: 'WWW.Example.com.',
      after: '2030-01-01',
      before: '2030-02-01T00:00+01:00',
    };
    expect(parse([fill({ name: 'all', when })])).toEqual([
      {
        name: 'all',
        when: {
          device: ['mobile'],
          os: ['iOS', 'Android'],
          browser: ['Firefox'],
          country: ['DE', 'AT'],
          language: ['DE', 'pt-br', 'ZH-hant'],
          query: { ref: 'mail', utm_id: true },
          referrer: ['example.com'],
          after: '2030-01-01T00:00:00.000Z',
          before: '2030-01-31T23:00:00.000Z',
        },
        targetUrl,
      },
    ]);
  });

  it('do not change when a response is sent back', () => {
    const rules = parse([
      fill({ name: null, when: { country: 'DE' } }),
      {
        when: {},
        targetUrl: null,
        variants: [
          { targetUrl, weight: 0 },
          { targetUrl, weight: 3 },
        ],
      },
    ]);
    expect(parse(JSON.parse(JSON.stringify(rules)))).toEqual(rules);
  });

  it.each<[unknown, string]>([
    [Array(21).fill(fill({})), 'rules must be a list of at most 20 rules'],
    [[{ targetUrl }], 'rules[0].when is required'],
    [[fill({ when: { moon: 'full' } })], 'rules[0].when.moon is not a known field'],
    [
      [fill({ when: { country: 'XX' } })],
      'rules[0].when.country[0] is "XX": it must be a country code',
    ],
    [[fill({ when: { country: [] } })], 'rules[0].when.country must not be empty'],
    [[fill({ when: { language: 'de_AT' } })], 'rules[0].when.language[0] is "de_AT": it must be'],
    [
      [fill({ when: { referrer: 'https://a.example/' } })],
      'rules[0].when.referrer[0] is "https://a.exa',
    ],
    [[fill({ when: { query: {} } })], 'rules[0].when.query must name at least one parameter'],
    [
      [fill({ when: { query: JSON.parse('{"__proto__":"a"}') } })],
      'rules[0].when.query.__proto__ is',
    ],
    [[fill({ when: { after: 'soon' } })], 'rules[0].when.after is "soon": it must be an ISO 8601'],
    [[{ when: {} }], 'rules[0] must have targetUrl or variants'],
    [
      [fill({ variants: [{ targetUrl, weight: 1 }] })],
      'rules[0] must have targetUrl or variants, not',
    ],
    [
      [{ when: {}, variants: [{ targetUrl: 'javascript:1', weight: 1 }] }],
      'rules[0].variants[0].targetUrl is "javascript:1": it must start',
    ],
    [
      [{ when: {}, variants: Array(2).fill({ targetUrl, weight: 0 }) }],
      'rules[0].variants must have a weight above 0: the weights sum to 0',
    ],
    [[fill({ name: 'a/b' })], 'rules[0].name is "a/b": it must begin with a letter'],
    [
      [fill({ name: 'a', when: { country: 'DE' } }), fill({ name: 'A' })],
      'rules[1].name is "A": rules[0] has this name, and names must differ',
    ],
    [
      Array.from({ length: 3 }, (_, index) => ({
        when: { query: { page: `${index}` } },
        targetUrl: `https://example.com/${'a'.repeat(8_000)}`,
      })),
      'rules must take at most 16384 bytes as JSON',
    ],
  ])('%j has the error %s', (rules, error) => {
    const [first = '', ...others] = errorsOf(rules);
    expect(first.slice(0, error.length)).toBe(error);
    expect(others).toEqual([]);
  });
});
