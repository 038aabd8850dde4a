import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientAddressOf } from './client-address.js';
import { parseAddressRanges } from './ip-address.js';

describe('clientAddressOf', () => {
  const proxies = parseAddressRanges('10.0.0.0/8');

  it.each([
    ['no proxy, no header', '192.0.2.1', undefined, '192.0.2.1'],
    ['a stranger says what they like', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['a proxy vouches for its client', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['only the last hop counts', '10.0.0.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['through two proxies', '10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['a chain of proxies alone', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a proxy that says nothing', '10.0.0.1', undefined, '10.0.0.1'],
    ['a proxy that says nonsense', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['nonsense behind a proxy', '10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
    ['a mapped socket', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['IPv6', '10.0.0.1', '2001:db8::9', '2001:db8::9'],
    ['several headers', '10.0.0.1', ['1.1.1.1', '203.0.113.9'], '203.0.113.9'],
    ['a socket that is gone', undefined, '203.0.113.9', ''],
  ])('%s', (_, remote, forwardedFor, expected) => {
    expect(clientAddressOf(remote, forwardedFor, proxies)).toBe(expected);
  });

  it("nothing that a stranger sends changes a stranger's address", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), (hops) => {
        expect(clientAddressOf('192.0.2.1', hops.join(','), proxies)).toBe('192.0.2.1');
      }),
    );
  });

  it('nothing that a client of a proxy sends changes what the proxy says of it', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), (forged) => {
        const header = [...forged, '203.0.113.9', '10.0.0.7'].join(',');
        expect(clientAddressOf('10.0.0.1', header, proxies)).toBe('203.0.113.9');
      }),
    );
  });
});
