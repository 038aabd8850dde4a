import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A set of IP addresses, such as those of trusted proxies. */
export interface AddressRanges {
  includes(address: string): boolean;
}

// The IANA IPv4 Special-Purpose Address Registry, multicast, reserved space and cloud metadata.
const specialIPv4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; metadata of some clouds
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // host of an Azure machine
  '169.254.0.0/16', // link-local; metadata of most clouds
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
];

// Everything outside is special: loopback, IPv4-mapped and IPv4-compatible (::/96), NAT64
// (64:ff9b::/96 and 64:ff9b:1::/48), discard-only (100::/64), segment routing (5f00::/16),
// unique-local (fc00::/7), link-local, site-local and multicast.
const globalUnicastIPv6 = parseRanges(['2000::/3']);

const specialGlobalUnicastIPv6 = [
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which embeds an IPv4 address
  '3fff::/20', // documentation
];

const specialAddresses = parseRanges([...specialIPv4, ...specialGlobalUnicastIPv6]);

/**
 * Returns true for the literal of a public address. Returns false for private, local and reserved
 * addresses, for IPv6 addresses that embed an IPv4 address, and for text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  // Only addresses of a local link have a zone. ipaddr.js also parses `127.1` and `0177.0.0.1`.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  const isGlobal = parsed.kind() === 'ipv4' || isAmong(parsed, globalUnicastIPv6);
  return isGlobal && !isAmong(parsed, specialAddresses);
}

/**
 * Parses addresses and CIDR ranges that are separated by commas, such as `127.0.0.1, 10.0.0.0/8`.
 * An IPv4-mapped address is in the ranges of its IPv4 address. Throws an Error that names the entry
 * that is neither an address nor a range.
 */
export function parseAddressRanges(text: string): AddressRanges {
  const entries = text.split(',').map((part) => part.trim());
  const ranges = parseRanges(entries.filter((entry) => entry !== ''));
  return {
    includes(address) {
      // The usual list of proxies is empty.
      const parsed = ranges.length === 0 ? undefined : parse(address);
      return parsed !== undefined && isAmong(parsed, ranges);
    },
  };
}

/**
 * Returns the canonical form of an address: IPv6 as RFC 5952 §4 writes it, without a zone, and an
 * IPv4-mapped address as IPv4. Returns text that is not an address in lower case.
 */
export function canonicalAddress(address: string): string {
  if (!address.includes(':')) return address;
  const parsed = parse(address);
  return parsed ? format(parsed) : withoutZone(address).toLowerCase();
}

/**
 * Returns the block of addresses that rate limits count as one client: an IPv4 address, or the /64
 * of an IPv6 address. Internet providers assign a /64 to each customer, who can use all of it.
 */
export function addressBlockOf(address: string): string {
  if (!address.includes(':')) return address;
  const parsed = parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return canonicalAddress(address);
  const groups = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(':')}::/64`;
}

/** Returns the host of a URL without the brackets of an IPv6 address. */
export function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/**
 * Returns the canonical form of an address or a CIDR range: `203.0.113.7/24` becomes `203.0.113.0/24`.
 * Returns undefined for other texts.
 */
export function canonicalRange(entry: string): string | undefined {
  const [address, bits] = parseRange(entry) ?? [];
  if (!address || bits === undefined) return undefined;
  if (bits === bitsOf(address)) return format(address);
  return `${format(networkOf(address, bits))}/${bits}`;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type AddressRange = [address: Address, bits: number];

function parse(text: string): Address | undefined {
  const address = withoutZone(text);
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

function withoutZone(address: string): string {
  return address.split('%')[0] ?? '';
}

function format(address: Address): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

function bitsOf(address: Address): number {
  return address.kind() === 'ipv4' ? 32 : 128;
}

function networkOf(address: Address, bits: number): Address {
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return kind.networkAddressFromCIDR(`${address}/${bits}`);
}

function isAmong(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}

function parseRanges(entries: readonly string[]): AddressRange[] {
  return entries.map((entry) => {
    const range = parseRange(entry);
    if (range) return range;
    throw new Error(`${entry} is neither an IP address nor a range such as 10.0.0.0/8`);
  });
}

/** Parses an address or a CIDR range. A range of IPv4-mapped addresses becomes one of IPv4. */
function parseRange(entry: string): AddressRange | undefined {
  const [text = '', prefix, ...more] = entry.split('/');
  const address = parse(text);
  if (!address || more.length > 0 || !/^\d{1,3}$/.test(prefix ?? '0')) return undefined;
  const maxBits = bitsOf(address);
  const writtenBits = isIPv4(text) ? 32 : 128;
  const bits = prefix === undefined ? maxBits : Number(prefix) - (writtenBits - maxBits);
  return bits >= 0 && bits <= maxBits ? [address, bits] : undefined;
}
