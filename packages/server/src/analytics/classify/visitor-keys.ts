import { createHmac } from 'node:crypto';
import { canonicalAddress } from '../../network/ip-address.js';

// 64 bits: that any two of a million visitors share a key has a chance of three in a hundred million.
const keyBytes = 8;

/** Makes the keys that stand for people and addresses, of which nothing else is kept. */
export interface VisitorKeys {
  /** 16 hexadecimal digits for an address; the same for each way to write it. */
  addressKey(address: string): string;
  /** 16 hexadecimal digits for an address and a user agent together. */
  visitorKey(address: string, userAgent: string): string;
}

/**
 * Keyed hashes under the server's secret: without it, nobody who reads the database can try all
 * addresses. The same secret gives the same keys after a restart and in each process.
 */
export function createVisitorKeys(secretKey: string | Uint8Array): VisitorKeys {
  const hash = (text: string) =>
    createHmac('sha256', secretKey).update(text).digest().subarray(0, keyBytes).toString('hex');
  return {
    addressKey: (address) => hash(`address\n${canonicalAddress(address)}`),
    visitorKey: (address, userAgent) => hash(`visitor\n${canonicalAddress(address)}\n${userAgent}`),
  };
}
