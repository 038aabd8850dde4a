import { createHmac } from 'node:crypto';
import { canonicalAddress } from '../../network/ip-address.js';

// 64 bits: the chance that any two of a million visitors share a key is 3 in 100 million.
const keyBytes = 8;

/** Creates the keys that are stored in place of addresses and user agents. */
export interface VisitorKeys {
  /** Returns 16 hexadecimal digits, the same for all notations of an address. */
  addressKey(address: string): string;
  /** Returns 16 hexadecimal digits for an address with a user agent. */
  visitorKey(address: string, userAgent: string): string;
}

/**
 * Creates keys by keyed hashes. Without the secret, a reader of the database cannot find an address
 * by trying all of them. The same secret gives the same keys after a restart and on other nodes.
 */
export function createVisitorKeys(secretKey: string | Uint8Array): VisitorKeys {
  const hash = (text: string) =>
    createHmac('sha256', secretKey).update(text).digest().subarray(0, keyBytes).toString('hex');
  return {
    addressKey: (address) => hash(`address\n${canonicalAddress(address)}`),
    visitorKey: (address, userAgent) => hash(`visitor\n${canonicalAddress(address)}\n${userAgent}`),
  };
}
