import { describe, expect, it } from 'vitest';
import { addressBlockOf } from './address-block.js';

describe('addressBlockOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:db8::7:8:9:192.0.2.7', '2001:db8:0:7::/64'],
    ['', ''],
  ])('of %s is %s', (address, block) => {
    expect(addressBlockOf(address)).toBe(block);
  });
});
