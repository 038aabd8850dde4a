import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainAddress } from './plain-address.js';

describe('plainAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8::1%eth0', '2001:db8::1'],
    ['::', '::'],
    ['::ffff:192.0.2.255', '192.0.2.255'],
    ['::FFFF:C000:2', '192.0.0.2'],
    ['::ffff:0:0', '0.0.0.0'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['', ''],
    ['unknown', 'unknown'],
    ['192.0.2.1:443', '192.0.2.1:443'],
    ['A::B::C', 'a::b::c'],
    ['[::1]', '[::1]'],
  ])('of %s is %s', (address, plain) => {
    expect(plainAddress(address)).toBe(plain);
  });

  it('is its own plain form, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV6(), fc.ipV4(), fc.string()), (address) => {
        expect(plainAddress(plainAddress(address))).toBe(plainAddress(address));
      }),
    );
  });
});
