import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCalls } from '../../test/count-calls.js';
import { parseInput } from '../contract/parse-input.js';
import { countryCodes } from './country-codes.js';
import { type LinkRule, linkRules } from './link-rules.js';

const targetUrl = 'https://example.com/de';
const countries = [...countryCodes].slice(0, 45);
const languages = countries.map((country) => `de-${country}`);
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
  it('have lists of conditions in their usual form', () => {
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
          language: ['de', 'pt-BR', 'zh-Hant'],
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
    [7, 'rules is 7: it must be a list of at most 20 rules'],
    [Array(21).fill(fill({})), 'rules must be a list of at most 20 rules'],
    [[{ targetUrl }], 'rules[0].when is required'],
    [[fill({ when: { moon: 'full' } })], 'rules[0].when.moon is not a known field'],
    [
      [fill({ when: { country: 'XX' } })],
      'rules[0].when.country is "XX": it must be a country code',
    ],
    [[fill({ when: { country: ['DE', 7] } })], 'rules[0].when.country[1] is 7: it must be a'],
    [
      [fill({ when: { country: [] } })],
      'rules[0].when.country must not be empty, because the rule',
    ],
    [[fill({ when: { country: null } })], 'rules[0].when.country is null: it must be a country'],
    [
      [fill({ when: { country: Array(51).fill('DE') } })],
      'rules[0].when.country must have at most 50',
    ],
    [
      [fill({ when: { language: 'deu' } })],
      'rules[0].when.language is "deu": it must begin with "de", as browsers send it',
    ],
    [
      [fill({ when: { language: 'de-Zzzy' } })],
      'rules[0].when.language is "de-Zzzy": it must be a language',
    ],
    [
      [fill({ when: { language: 'en-999' } })],
      'rules[0].when.language is "en-999": it must be a language',
    ],
    [
      [fill({ when: { referrer: '(direct)' } })],
      'rules[0].when.referrer is "(direct)": it must be a host name alone',
    ],
    [
      [fill({ when: { referrer: 'a..example' } })],
      'rules[0].when.referrer is "a..example": it must be a host name alone',
    ],
    [
      [fill({ when: { query: { '': 'a' } } })],
      'rules[0].when.query. has the name "": it must not be empty',
    ],
    [[fill({ when: ['DE'] })], 'rules[0].when is a list: it must be a JSON object'],
    [[fill({ when: { language: 'xx' } })], 'rules[0].when.language is "xx": it must be a language'],
    [[fill({ when: { language: 'de-XX' } })], 'rules[0].when.language is "de-XX": it must be'],
    [
      [fill({ when: { device: 'phone' } })],
      'rules[0].when.device is "phone": it must be one of desk',
    ],
    [[fill({ when: { os: ' iOS' } })], 'rules[0].when.os is " iOS": it must be the name of'],
    [[fill({ when: { os: '' } })], 'rules[0].when.os is "": it must be the name of'],
    [
      [fill({ when: { referrer: 'https://a.example/' } })],
      'rules[0].when.referrer is "https://a.exa',
    ],
    [[fill({ when: { query: {} } })], 'rules[0].when.query must name at least one parameter'],
    [
      [fill({ when: { query: { a: false } } })],
      'rules[0].when.query.a is false: it must be a text',
    ],
    [
      [fill({ when: { query: JSON.parse('{"__proto__":"a"}') } })],
      'rules[0].when.query.__proto__ is',
    ],
    [[fill({ when: { after: 'soon' } })], 'rules[0].when.after is "soon": it must be an ISO 8601'],
    [
      [fill({ when: { after: '2030-02-01', before: '2030-02-01' } })],
      'rules[0].when.before is 2030-02-01T00:00:00.000Z: it must be later than after (2030-02-01T00:',
    ],
    [[{ when: {} }], 'rules[0] must have targetUrl or variants'],
    [
      [fill({ variants: [{ targetUrl, weight: 1 }] })],
      'rules[0] must have targetUrl or variants, not',
    ],
    [
      [{ when: {}, targetUrl: 'ftp://a.example' }],
      'rules[0].targetUrl is "ftp://a.example": it must',
    ],
    [[{ when: {}, variants: [] }], 'rules[0].variants must be a list of 1 to 10 variants'],
    [
      [{ when: {}, variants: [{ targetUrl: 'javascript:1', weight: 1 }] }],
      'rules[0].variants[0].targetUrl is "javascript:1": it must start',
    ],
    [
      [{ when: {}, variants: Array(2).fill({ targetUrl, weight: 0 }) }],
      'rules[0].variants must have a weight above 0: the weights sum to 0',
    ],
    [
      [{ when: {}, variants: [{ targetUrl, weight: 1.5 }] }],
      'rules[0].variants[0].weight is 1.5: it must be a whole number from 0 to 1000000',
    ],
    [
      [{ when: {}, variants: [{ targetUrl, weight: -1 }] }],
      'rules[0].variants[0].weight is -1: it must be',
    ],
    [[fill({ name: 'a/b' })], 'rules[0].name is "a/b": it must begin with a letter'],
    [[fill({ name: '7' })], 'rules[0].name is "7": it must begin with a letter'],
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

it('takes steps in proportion to the values, also for rules that differ in their times only', async () => {
  // Fifty values a condition, in each of as many rules as fit.
  const hostile = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      fill({
        when: {
          country: countries,
          language: languages,
          after: `20${30 + index}-01-01`,
          before: `20${31 + index}-01-01`,
        },
      }),
    );
  const stepsOf = (rules: unknown) => countCalls(() => errorsOf(rules));
  errorsOf(hostile(1));
  const [few, many] = [await stepsOf(hostile(2)), await stepsOf(hostile(20))];
  expect(few).toBeGreaterThan(100);
  expect(many).toBeLessThan(few * 15);
});

it('measures rules only up to the limit', () => {
  const unread = {
    get when() {
      throw new Error('a rule behind the limit was read');
    },
  };
  expect(errorsOf(['x'.repeat(20_000), unread])).toEqual([
    'rules must take at most 16384 bytes as JSON',
  ]);
});

it('measures rules before it reads their entries, and reads a condition up to its first error', () => {
  const names = ['device', 'os', 'browser', 'country', 'language', 'referrer'];
  const hostile = (values: number) => {
    const list = Array(values).fill(' ');
    return [fill({ when: Object.fromEntries(names.map((name) => [name, list])) })];
  };
  expect(errorsOf(hostile(50)).map((error) => error.split(' ')[0])).toEqual(
    names.map((name) => `rules[0].when.${name}[0]`),
  );
  const many = Array(20).fill(hostile(250)[0]);
  expect(errorsOf(many)).toEqual([expect.stringContaining('must take at most 16384 bytes')]);
});

it('accepts or refuses any JSON without an exception', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, condition) => {
      errorsOf(value);
      errorsOf([value]);
      for (const name of ['device', 'country', 'query', 'referrer', 'after']) {
        errorsOf([fill({ when: { [name]: condition } })]);
      }
    }),
  );
});
