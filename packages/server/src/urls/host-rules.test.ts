import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  blockedMessage,
  everyHost,
  findBlockedHost,
  type HostRule,
  parseHost,
} from './host-rules.js';
import { isPublicSuffix } from './public-suffix.js';

const rulesOf = (rules: Readonly<Record<string, HostRule>>) => new Map(Object.entries(rules));
const rules = rulesOf({
  [everyHost]: 'block',
  'example.com': 'allow',
  'evil.example.com': 'block',
  'good.evil.example.com': 'allow',
  '192.0.2.7': 'allow',
});

describe('findBlockedHost', () => {
  it.each([
    ['https://example.com/', undefined],
    ['https://www.EXAMPLE.com./x', undefined],
    ['https://evil.example.com/', 'evil.example.com'],
    ['https://a.evil.example.com/', 'evil.example.com'],
    ['https://a.good.evil.example.com/', undefined],
    ['https://notexample.com/', everyHost],
    ['https://com/', everyHost],
    ['http://192.0.2.7:8080/', undefined],
    ['http://3221225991/', undefined],
    ['http://192.0.2.8/', everyHost],
    ['http://[2001:db8::1]/', everyHost],
  ])('%s: %s', (targetUrl, blocked) => {
    expect(findBlockedHost(rules, targetUrl)).toBe(blocked);
  });

  it('blocks nothing without a rule, and nothing but the rest without *', () => {
    expect(findBlockedHost(new Map(), 'https://example.com/')).toBeUndefined();
    const allowed = rulesOf({ 'example.com': 'allow' });
    expect(findBlockedHost(allowed, 'https://other.example/')).toBeUndefined();
  });

  it('is decided by the longest matching rule, in any order', () => {
    const label = fc.constantFrom('a', 'b', 'c');
    const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((all) => all.join('.'));
    const rule = fc.constantFrom<HostRule>('block', 'allow');
    const entries = fc.array(fc.tuple(fc.oneof(host, fc.constant(everyHost)), rule));
    fc.assert(
      fc.property(entries, host, (all, visited) => {
        const stored = new Map(all);
        const matching = [...stored.keys()]
          .filter((each) => each === everyHost || `.${visited}`.endsWith(`.${each}`))
          .sort((one, other) => lengthOf(other) - lengthOf(one));
        const [decisive = ''] = matching;
        const expected = stored.get(decisive) === 'block' ? decisive : undefined;
        const found = findBlockedHost(new Map([...stored].reverse()), `http://${visited}/`);
        expect(found).toBe(expected);
      }),
    );
  });
});

const lengthOf = (host: string) => (host === everyHost ? 0 : host.length);

it.each([
  ['co.uk', true],
  ['com', true],
  ['github.io', true],
  ['xn--p1ai', true],
  ['example.com', false],
  ['acme.github.io', false],
  ['localhost', false],
  ['intranet', false],
  ['192.0.2.7', false],
  ['[2001:db8::7]', false],
])('%s is a public suffix: %s', (host, expected) => {
  expect(isPublicSuffix(host)).toBe(expected);
});

it('normalizes case, a final dot and other scripts', () => {
  expect(parseHost('B\u00fccher.Example.')).toBe('xn--bcher-kva.example');
  expect(parseHost(everyHost)).toBeUndefined();
});

it('says which rule refuses a target', () => {
  expect(blockedMessage('evil.example')).toContain('must not lead to evil.example');
  expect(blockedMessage(everyHost)).toContain('must lead to a host that the operator');
});
