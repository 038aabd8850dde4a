import { parseUrl } from './parse-url.js';

/**
 * One way to write an address: IPv6 in its canonical form (RFC 5952 §4) without a zone, IPv4 within
 * IPv6 as IPv4. What is no address stays a text of its own.
 */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%');
  const url = parseUrl(`http://[${plain}]`);
  if (!url) return plain.toLowerCase();
  const canonical = url.hostname.slice(1, -1);
  const [, high, low] = mappedAddress.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  return [high, low]
    .map((half) => Number.parseInt(half, 16))
    .flatMap((half) => [half >> 8, half & 255])
    .join('.');
}

// RFC 4291 §2.5.5.2, as URLs write it.
const mappedAddress = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/;
