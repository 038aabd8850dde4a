import { plainAddress } from './plain-address.js';

/**
 * What counts as one caller: an IPv4 address, or the /64 of an IPv6 address, which is the least
 * that one customer gets, to choose addresses from freely.
 */
export function addressBlockOf(address: string): string {
  const plain = plainAddress(address);
  if (!plain.includes(':')) return plain;
  const [before = [], after = []] = plain
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
