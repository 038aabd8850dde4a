import { BlockList, isIP } from 'node:net';

/** Which proxies may say whom they speak for. */
export interface TrustedProxies {
  trusts(address: string): boolean;
}

/**
 * Reads a list of addresses and CIDR ranges, such as `127.0.0.1, 10.0.0.0/8, ::1`; throws an Error
 * that names the entry that is neither.
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  const list = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const [address = '', prefix, ...more] = entry.split('/');
    const version = isIP(address);
    const bits = prefix === undefined ? (version === 4 ? 32 : 128) : Number(prefix);
    const isRange = /^\d+$/.test(prefix ?? '0') && bits <= (version === 4 ? 32 : 128);
    if (version === 0 || more.length > 0 || !isRange) {
      throw new Error(`${entry} is neither an IP address nor a range such as 10.0.0.0/8`);
    }
    list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6');
  }
  // The usual case, and a look into an empty list is not free.
  if (text.trim() === '') return { trusts: () => false };
  return {
    trusts(address) {
      const plain = unmap(address);
      const version = isIP(plain);
      return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

/**
 * The visitor's address: the connection's own, or, as far as trusted proxies vouch for it, the last
 * one in `X-Forwarded-For` that is not a trusted proxy's.
 */
export function clientAddressOf(
  remote: string | undefined,
  forwardedFor: string | string[] | undefined,
  proxies: TrustedProxies,
): string {
  let address = unmap(remote ?? '');
  if (!proxies.trusts(address)) return address;
  const hops = (Array.isArray(forwardedFor) ? forwardedFor.join() : (forwardedFor ?? ''))
    .split(',')
    .map((hop) => hop.trim());
  while (proxies.trusts(address)) {
    const before = unmap(hops.pop() ?? '');
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}

/** `::ffff:192.0.2.1`, as dual-stack sockets say it, is 192.0.2.1. */
function unmap(address: string): string {
  if (!address.startsWith('::')) return address;
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
