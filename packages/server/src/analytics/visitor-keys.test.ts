import { describe, expect, it } from 'vitest';
import { createVisitorKeys } from './visitor-keys.js';

const keys = createVisitorKeys('a secret of the tests');
const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

describe('createVisitorKeys', () => {
  it('makes the same keys from the same secret, in each process and release', () => {
    const again = createVisitorKeys('a secret of the tests');
    for (const { addressKey, visitorKey } of [keys, again]) {
      expect(addressKey('192.0.2.1')).toBe('f088e0f671cfbce2');
      expect(visitorKey('192.0.2.1', agent)).toBe('6b930f2c14a7eb40');
    }
  });

  it('makes other keys from another secret', () => {
    const other = createVisitorKeys('another secret');
    expect(other.addressKey('192.0.2.1')).not.toBe(keys.addressKey('192.0.2.1'));
    expect(other.visitorKey('192.0.2.1', agent)).not.toBe(keys.visitorKey('192.0.2.1', agent));
  });

  it.each([
    ['2001:db8::1', '2001:0DB8:0000:0000:0000:0000:0000:0001'],
    ['fe80::1', 'fe80::1%eth0'],
    ['192.0.2.1', '::ffff:192.0.2.1'],
  ])('%s and %s are the same address', (address, spelling) => {
    expect(keys.addressKey(spelling)).toBe(keys.addressKey(address));
    expect(keys.visitorKey(spelling, agent)).toBe(keys.visitorKey(address, agent));
  });

  it('makes different keys for other addresses, other user agents and the other kind of key', () => {
    const all = ['192.0.2.1', '192.0.2.2', '192.0.2.11', '2001:db8::1', '2001:db8::2', ''].flatMap(
      (address) => [
        keys.addressKey(address),
        keys.visitorKey(address, agent),
        keys.visitorKey(address, `${agent} `),
        keys.visitorKey(address, ''),
      ],
    );
    expect(new Set(all).size).toBe(all.length);
  });
});
