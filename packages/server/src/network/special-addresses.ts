import { isIPv4, isIPv6 } from 'node:net';

type Range = readonly [first: number, bits: number];

// IANA IPv4 Special-Purpose Address Registry, multicast and reserved space included.
const specialIPv4: readonly Range[] = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; some clouds' metadata
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // the host of an Azure machine
  '169.254.0.0/16', // link-local; most clouds' metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
].map((range): Range => {
  const [address = '', bits] = range.split('/');
  return [toNumber(address), Number(bits)];
});

// Only 2000::/3 is global unicast; these parts of it are not. All others are outside: loopback,
// mapped and v4-compatible (::/96), NAT64 (64:ff9b::/96 and :1::/48), discard-only (100::/64),
// segment routing (5f00::/16), unique-local (fc00::/7), link-local, site-local and multicast.
const specialGlobalIPv6: readonly (readonly [prefix: bigint, bits: bigint])[] = [
  [0x2001_0000n, 23n], // protocol assignments: Teredo, ORCHID, benchmarks
  [0x2001_0db8n, 32n], // documentation
  [0x2002_0000n, 16n], // 6to4, which hides an IPv4 address
  [0x3fff_0000n, 20n], // documentation
];

/**
 * Whether an address, written as an IP literal, is one of the public internet. Everything that is
 * private, local, reserved or hides another address is not, and neither is what is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) {
    const value = toNumber(address);
    return !specialIPv4.some(([first, bits]) => value >>> (32 - bits) === first >>> (32 - bits));
  }
  // A zone belongs to an address of this link.
  if (!isIPv6(address) || address.includes('%')) return false;
  const value = toBigInt(address);
  if (value >> 125n !== 1n) return false;
  const head = value >> 96n;
  return !specialGlobalIPv6.some(
    ([prefix, bits]) => head >> (32n - bits) === prefix >> (32n - bits),
  );
}

function toNumber(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
}

function toBigInt(address: string): bigint {
  // The last 32 bits may be written as IPv4.
  const text = address.replace(/\d+\.\d+\.\d+\.\d+$/, (tail) => {
    const value = toNumber(tail);
    return `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
  });
  const [head = '', tail] = text.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(zeros).fill('0'), ...after].reduce(
    (value, group) => (value << 16n) | BigInt(`0x${group}`),
    0n,
  );
}
