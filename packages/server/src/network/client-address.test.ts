import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientAddressOf } from './client-address.js';
import { parseAddressRanges } from './ip-address.js';

describe('clientAddressOf', () => {
  const proxies = parseAddressRanges('10.0.0.0/8');

  it.each([
    ['no proxy, no header', '192.0.2.1', undefined, '192.0.2.1'],
    ['a peer that is not trusted', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['a trusted proxy', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['a trusted proxy and a forged hop', '10.0.0.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['trusted proxies only', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a trusted proxy with an invalid address', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['IPv4-mapped addresses', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['several headers', '10.0.0.1', ['1.1.1.1', '203.0.113.9'], '203.0.113.9'],
    ['an IPv4 address with a port', '10.0.0.1', '8.8.8.8:51234', '8.8.8.8'],
    ['IPv6 in brackets with a port', '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['quoted addresses', '10.0.0.1', '"[2001:db8::1]:443", "10.0.0.2:80"', '2001:db8::1'],
    ['spaces and tabs', '10.0.0.1', ' \t8.8.8.8:51234 \t, \t10.0.0.2:80 ', '8.8.8.8'],
    ['empty elements', '10.0.0.1', '8.8.8.8:51234,, ,10.0.0.2, ,', '8.8.8.8'],
    ['a closed socket', undefined, '203.0.113.9', ''],
  ])('%s', (_, remote, forwardedFor, expected) => {
    expect(clientAddressOf(remote, forwardedFor, proxies)).toBe(expected);
  });

  it('reads at most the last 2,048 characters', () => {
    const header = (spaces: number) => `203.0.113.9,${' '.repeat(spaces)}10.0.0.7`;
    expect(clientAddressOf('10.0.0.1', header(2028), proxies)).toBe('203.0.113.9');
    // The cut leaves `3.0.113.9`, which is another address.
    expect(clientAddressOf('10.0.0.1', header(2030), proxies)).toBe('10.0.0.7');
  });

  it('ignores hops that the client of a trusted proxy has forged', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), (forged) => {
        const header = [...forged, '203.0.113.9', '10.0.0.7'].join(',');
        expect(clientAddressOf('10.0.0.1', header, proxies)).toBe('203.0.113.9');
      }),
    );
  });
});
