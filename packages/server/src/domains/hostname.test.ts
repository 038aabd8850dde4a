import { describe, expect, it } from 'vitest';
import { findHostnameError, maxHostnameLength, ownHostTest, toHostname } from './hostname.js';

const longest = `${'a.'.repeat((maxHostnameLength - 3) / 2)}com`;

describe('a hostname', () => {
  it.each([
    ['go.example.com', 'go.example.com'],
    ['go.example.com.', 'go.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    [longest, longest],
  ])('%s is %s', (text, hostname) => {
    expect([findHostnameError(text), toHostname(text)]).toEqual([undefined, hostname]);
  });

  it.each([
    ['', 'such as go.example.com'],
    ['localhost', 'must have a dot'],
    ['https://go.example.com', 'without scheme'],
    ['go.example.com:443', 'port'],
    ['*.example.com', 'wildcard'],
    [' go.example.com', 'spaces'],
    ['127.0.0.1', 'not an address'],
    ['_dmarc.example.com', 'valid host name'],
    ['go..example.com', 'valid host name'],
    [`${'a'.repeat(64)}.example`, 'valid host name'],
    [`b.${longest}`, `at most ${maxHostnameLength} characters`],
    // With labels that are too long, too, which only the conversion would find.
    ['a'.repeat(1_001), `at most ${maxHostnameLength} characters`],
  ])('%j is refused: %s', (text, words) => {
    expect(findHostnameError(text)).toContain(words);
  });
});

it.each<[host: string, port: string | undefined, isOwn: boolean]>([
  ['localhost', '3000', true],
  ['127.0.0.2', undefined, true],
  ['127.0.0.1', '8080', false],
  ['192.168.1.5', '3000', true],
  ['192.168.1.5', '8080', false],
  ['[::ffff:c0a8:105]', '3000', true],
  ['[fe80::1]', '3000', true],
  ['192.168.1.6', '3000', false],
  ['sho.example', '8443', true],
  ['other.example', '3000', false],
])(
  '%s with the port %s is a host of a server that listens on all addresses: %s',
  (host, port, isOwn) => {
    const test = ownHostTest(['localhost:3000', 'sho.example'], ['192.168.1.5', 'fe80::1']);
    expect(test(host, port)).toBe(isOwn);
  },
);
