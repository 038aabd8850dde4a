import { createHmac } from 'node:crypto';
import { canonicalAddress } from '../../network/ip-address.js';

// 64 bits: the chance that any two of a million visitors share a key is 3 in 100 million.
const keyBytes = 8;

export type VisitorKeys = ReturnType<typeof createVisitorKeys>;

/**
 * Creates the keys that are stored in place of addresses and user agents: 16 hexadecimal digits, the
 * same for all notations of an address. They are keyed hashes: without the secret, a reader of the
 * database cannot find an address by trying all of them. The same secret gives the same keys after a
 * restart and on other nodes.
 */
export function createVisitorKeys(secretKey: string) {
  const hash = (text: string) =>
    createHmac('sha256', secretKey).update(text).digest().subarray(0, keyBytes).toString('hex');
  return {
    addressKey: (address: string): string => hash(`address\n${canonicalAddress(address)}`),
    visitorKey: (address: string, userAgent: string): string =>
      hash(`visitor\n${canonicalAddress(address)}\n${userAgent}`),
  };
}
