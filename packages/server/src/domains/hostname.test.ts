import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxHostnameLength, parseHostname } from './hostname.js';

const longest = `${'a.'.repeat((maxHostnameLength - 3) / 2)}com`;

describe('parseHostname', () => {
  it.each([
    ['go.example.com', 'go.example.com'],
    ['GO.Example.COM', 'go.example.com'],
    ['go.example.com.', 'go.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['1.example.com', '1.example.com'],
    ['a-b--c.example', 'a-b--c.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    [longest, longest],
  ])('%s is %s', (text, hostname) => {
    expect(parseHostname(text)).toEqual({ ok: true, hostname });
  });

  it.each([
    ['', 'such as go.example.com'],
    ['localhost', 'must have a dot'],
    ['https://go.example.com', 'without scheme'],
    ['go.example.com/sale', 'without scheme'],
    ['go%2eexample.com', 'without scheme'],
    ['go.example.com:443', 'without a port'],
    ['*.example.com', 'wildcards'],
    [' go.example.com', 'spaces'],
    ['go.example.com\n', 'spaces'],
    ['127.0.0.1', 'not an address'],
    ['2130706433', 'not an address'],
    ['[::1]', 'not an address'],
    ['_dmarc.example.com', 'valid host name'],
    ['-go.example.com', 'valid host name'],
    ['go-.example.com', 'valid host name'],
    ['go.example.com..', 'valid host name'],
    ['go..example.com', 'valid host name'],
    ['xn--a.example', 'valid host name'],
    ['a\u0000b.example', 'valid host name'],
    [`${'a'.repeat(64)}.example`, 'valid host name'],
    [`b.${longest}`, `at most ${maxHostnameLength} characters`],
    // With labels that are too long, too, which only the conversion would find.
    ['a'.repeat(1_001), `at most ${maxHostnameLength} characters`],
  ])('%j is refused: %s', (text, words) => {
    expect(parseHostname(text)).toEqual({ ok: false, error: expect.stringContaining(words) });
  });
});

it('returns a hostname that parses to itself, or an error, for any text', () => {
  const text = fc.oneof(fc.domain(), fc.string({ unit: 'grapheme' }), fc.webUrl());
  fc.assert(
    fc.property(text, (sent) => {
      const parsed = parseHostname(sent);
      if (parsed.ok) {
        expect(parsed.hostname).toMatch(/^[a-z0-9.-]+$/);
        expect(parseHostname(parsed.hostname)).toEqual(parsed);
      } else expect(parsed.error).toMatch(/^must /);
    }),
  );
});
