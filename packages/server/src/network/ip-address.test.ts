import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressBlockOf,
  canonicalRange,
  isPublicAddress,
  parseAddressRanges,
} from './ip-address.js';

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.32.0.0',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['this network', '0.255.255.255'],
    ['private', '172.31.255.255'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ["Azure's host", '168.63.129.16'],
    ['link-local', '169.254.169.254'],
    ['protocol assignments', '192.0.0.192'],
    ['benchmarks', '198.19.255.255'],
    ['multicast', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['mapped', '::ffff:127.0.0.1'],
    ['translated', '::ffff:0:127.0.0.1'],
    ['v4-compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::127.0.0.1'],
    ['local NAT64', '64:ff9b:1::7f00:1'],
    ['Teredo', '2001::1'],
    ['documentation', '2001:db8::1'],
    ['6to4', '2002:7f00:1::1'],
    ['unique-local', 'fc00::1'],
    ["a cloud's metadata", 'fd00:ec2::254'],
    ['global with a zone', '2606:4700::1%eth0'],
    ['multicast', 'ff02::1'],
    ['a name', 'example.com'],
    ['octal', '0177.0.0.1'],
    ['nothing', ''],
  ])('of %s, %s is not public', (_range, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('parseAddressRanges', () => {
  const ranges = parseAddressRanges(' 127.0.0.1, 10.0.0.0/8 ,::1,2001:db8::/32, ');

  it.each(['127.0.0.1', '10.255.0.1', '::1', '2001:db8:1::1', '::ffff:10.0.0.1'])(
    'includes %s',
    (address) => {
      expect(ranges.includes(address)).toBe(true);
    },
  );

  it.each(['127.0.0.2', '11.0.0.1', '::2', '2001:db9::1', '::ffff:11.0.0.1', '', 'localhost'])(
    'does not include %j',
    (address) => {
      expect(ranges.includes(address)).toBe(false);
    },
  );

  it.each(['localhost', '10.0.0.0/33'])('refuses %s and names it', (entry) => {
    expect(() => parseAddressRanges(`127.0.0.1, ${entry}`)).toThrow(entry);
  });
});

describe('canonicalRange', () => {
  it.each([
    ...['', 'a', '1.2.3', '1.2.3.4/33', '1.2.3.4/', '1.2.3.4/8/8', '1.2.3.4/-1', '1.2.3.4/1e1'],
    ...['::/129', '::ffff:1.2.3.4/95', '::1/0x40', '1.2.3.4,5.6.7.8', '[::1]', 'localhost'],
  ])('of %j is undefined', (text) => expect(canonicalRange(text)).toBeUndefined());

  it('has the addresses of the range, and no others', () => {
    const bits = fc.nat({ max: 128 });
    fc.assert(
      fc.property(fc.ipV6(), fc.ipV6(), bits, (address, other, length) => {
        const range = canonicalRange(`${address}/${length}`);
        if (range === undefined) return;
        expect(canonicalRange(range)).toBe(range);
        const ranges = parseAddressRanges(range);
        expect(ranges.includes(address)).toBe(true);
        expect(ranges.includes(other)).toBe(
          parseAddressRanges(`${address}/${length}`).includes(other),
        );
      }),
    );
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['', ''],
])('addressBlockOf of %s is %s', (address, block) => {
  expect(addressBlockOf(address)).toBe(block);
});
