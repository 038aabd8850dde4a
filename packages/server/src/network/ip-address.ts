import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';

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
const globalUnicastIPv6 = blockList(['2000::/3']);

const specialGlobalUnicastIPv6 = [
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which embeds an IPv4 address
  '3fff::/20', // documentation
];

const specialAddresses = blockList([...specialIPv4, ...specialGlobalUnicastIPv6]);

/**
 * Returns true for the literal of a public address. Returns false for private, local and reserved
 * addresses, for IPv6 addresses that embed an IPv4 address, and for text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialAddresses.check(address, 'ipv4');
  // Only addresses of a local link have a zone.
  if (!isIPv6(address) || address.includes('%')) return false;
  return globalUnicastIPv6.check(address, 'ipv6') && !specialAddresses.check(address, 'ipv6');
}

/**
 * Parses addresses and CIDR ranges that are separated by commas, such as `127.0.0.1, 10.0.0.0/8`.
 * An IPv4-mapped address is in the ranges of its IPv4 address. Throws an Error that names the entry
 * that is neither an address nor a range.
 */
export function parseAddressRanges(text: string): AddressRanges {
  const entries = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  // The usual list of proxies is empty, and `check` takes over a microsecond.
  if (entries.length === 0) return { includes: () => false };
  const list = blockList(entries);
  return {
    includes(address) {
      const canonical = canonicalAddress(address);
      const version = isIP(canonical);
      return version !== 0 && list.check(canonical, version === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

/**
 * Returns the canonical form of an address: IPv6 as RFC 5952 §4 writes it, without a zone, and an
 * IPv4-mapped address as IPv4. Returns text that is not an address in lower case.
 */
export function canonicalAddress(address: string): string {
  if (!address.includes(':')) return address;
  // The form in which dual-stack sockets report IPv4 addresses.
  const mapped = mappedIPv4(address);
  if (mapped !== undefined) return mapped;
  const [withoutZone = ''] = address.split('%');
  if (!isIPv6(withoutZone)) return withoutZone.toLowerCase();
  const canonical = new SocketAddress({ address: withoutZone, family: 'ipv6' }).address;
  return mappedIPv4(canonical) ?? canonical;
}

/** Returns the IPv4 address of an IPv4-mapped address: RFC 4291 §2.5.5.2. */
function mappedIPv4(address: string): string | undefined {
  const rest = address.slice('::ffff:'.length);
  return address.startsWith('::ffff:') && isIPv4(rest) ? rest : undefined;
}

/**
 * Returns the block of addresses that rate limits count as one client: an IPv4 address, or the /64
 * of an IPv6 address. Internet providers assign a /64 to each customer, who can use all of it.
 */
export function addressBlockOf(address: string): string {
  const canonical = canonicalAddress(address);
  if (!canonical.includes(':')) return canonical;
  return `${groupsOf(canonical).slice(0, 4).join(':')}::/64`;
}

/** Returns the network of an address: the /24 of an IPv4 address, or the /48 of an IPv6 address. */
export function truncateAddress(address: string): string {
  const canonical = canonicalAddress(address);
  if (isIPv4(canonical)) return `${canonical.slice(0, canonical.lastIndexOf('.'))}.0`;
  if (!isIPv6(canonical)) return '';
  return canonicalAddress(`${groupsOf(canonical).slice(0, 3).join(':')}::`);
}

/** Returns the host of a URL without the brackets of an IPv6 address. */
export function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function blockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const range = parseRange(entry);
    if (!range) {
      throw new Error(`${entry} is neither an IP address nor a range such as 10.0.0.0/8`);
    }
    list.addSubnet(range.address, range.bits, range.isIPv4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

interface AddressRange {
  readonly address: string;
  /** The length of the prefix. */
  readonly bits: number;
  readonly isIPv4: boolean;
}

/** Parses an address or a CIDR range. A range of IPv4-mapped addresses becomes one of IPv4. */
function parseRange(entry: string): AddressRange | undefined {
  const [text = '', prefix, ...more] = entry.split('/');
  const version = isIP(text);
  const maxBits = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? maxBits : Number(prefix);
  const isRange = /^\d{1,3}$/.test(prefix ?? '0') && bits <= maxBits;
  if (version === 0 || more.length > 0 || !isRange) return undefined;
  const address = canonicalAddress(text);
  const isIPv4 = !address.includes(':');
  if (version === 4 || !isIPv4) return { address, bits, isIPv4 };
  return bits < mappedBits ? undefined : { address, bits: bits - mappedBits, isIPv4 };
}

/** The length of the prefix of all IPv4-mapped addresses. */
const mappedBits = 96;

/**
 * Returns the canonical form of an address or a CIDR range: `203.0.113.7/24` becomes `203.0.113.0/24`.
 * Returns undefined for other texts.
 */
export function canonicalRange(entry: string): string | undefined {
  const range = parseRange(entry);
  if (!range) return undefined;
  const { address, bits, isIPv4 } = range;
  const width = isIPv4 ? 8 : 16;
  const groups = isIPv4
    ? address.split('.').map(Number)
    : groupsOf(address).map((group) => Number.parseInt(group, 16));
  if (bits === width * groups.length) return address;
  const prefix = groups.map((group, index) => {
    const hostBits = Math.min(width, Math.max(0, width * (index + 1) - bits));
    return (group >> hostBits) << hostBits;
  });
  const first = isIPv4
    ? prefix.join('.')
    : canonicalAddress(prefix.map((group) => group.toString(16)).join(':'));
  return `${first}/${bits}`;
}

/** Returns the eight groups of a canonical IPv6 address. */
function groupsOf(address: string): string[] {
  const [before = [], after = []] = withoutDots(address)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after];
}

/** Replaces the IPv4 address at the end of `::192.0.2.1` by two groups. */
function withoutDots(address: string): string {
  const end = address.lastIndexOf(':') + 1;
  const [a, b, c, d] = address.slice(end).split('.').map(Number);
  if (a === undefined || b === undefined || c === undefined || d === undefined) return address;
  const groups = [a * 256 + b, c * 256 + d].map((group) => group.toString(16));
  return address.slice(0, end) + groups.join(':');
}
