import { isIP } from 'node:net';
import { type AddressRanges, canonicalAddress } from './ip-address.js';

// Proxies append to the header, so its end is read. 32 addresses of any length fit.
const maxHops = 32;
const maxHeaderLength = 2_048;

/**
 * Returns the address of the client that sent a request. This is the peer of the connection, unless
 * the peer is a trusted proxy. Then it is the last address in `X-Forwarded-For` that is not a
 * trusted proxy. Earlier addresses in the header can be forged. Reads at most the last
 * 32 addresses.
 */
export function clientAddressOf(
  peer: string | undefined,
  forwardedFor: string | string[] | undefined,
  trustedProxies: AddressRanges,
): string {
  let address = canonicalAddress(peer ?? '');
  if (!trustedProxies.includes(address)) return address;
  const header = Array.isArray(forwardedFor) ? forwardedFor.join() : (forwardedFor ?? '');
  const read = header.slice(-maxHeaderLength).split(',');
  // The cut may have shortened the first address to another valid one.
  if (header.length > maxHeaderLength) read.shift();
  // RFC 9110 §5.6.1: empty elements of a list are ignored.
  const hops = read.filter((hop) => hop.trim() !== '').slice(-maxHops);
  while (trustedProxies.includes(address)) {
    const previous = addressOfHop(hops.pop() ?? '');
    if (isIP(previous) === 0) break;
    address = previous;
  }
  return address;
}

// Some proxies add the port, and write IPv6 addresses in brackets or, as in `Forwarded`, in quotes.
const hopForms = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

function addressOfHop(hop: string): string {
  const text = hop.trim().replace(/^"(.*)"$/, '$1');
  const [, bracketed, ipv4] = hopForms.exec(text) ?? [];
  return canonicalAddress(bracketed ?? ipv4 ?? text);
}
