import { isIP } from 'node:net';
import { type AddressRanges, canonicalAddress } from './ip-address.js';

/**
 * Returns the address of the client that sent a request. This is the peer of the connection, unless
 * the peer is a trusted proxy. Then it is the last address in `X-Forwarded-For` that is not a
 * trusted proxy. Earlier addresses in the header can be forged.
 */
export function clientAddressOf(
  peer: string | undefined,
  forwardedFor: string | string[] | undefined,
  trustedProxies: AddressRanges,
): string {
  let address = canonicalAddress(peer ?? '');
  if (!trustedProxies.includes(address)) return address;
  const hops = (Array.isArray(forwardedFor) ? forwardedFor.join() : (forwardedFor ?? ''))
    .split(',')
    .map((hop) => hop.trim());
  while (trustedProxies.includes(address)) {
    const previous = canonicalAddress(hops.pop() ?? '');
    if (isIP(previous) === 0) break;
    address = previous;
  }
  return address;
}
