import { parseUrl } from '../network/parse-url.js';
import { hostnameOf } from './hostname.js';

/** Returns whether the platform's own links are served on a hostname, as `hostnameOf` returns it. */
export type IsOwnHost = (hostname: string) => boolean;

/** Returns a test for these hosts, which may have ports. */
export function ownHostTest(hosts: readonly string[]): IsOwnHost {
  const own = hosts.map((host) => hostnameOf(parseUrl(`http://${host}`)?.host ?? host));
  const hasLoopback = own.some(isLoopback);
  // Every loopback name reaches the same server, so one of them stands for all.
  return (hostname) => own.includes(hostname) || (hasLoopback && isLoopback(hostname));
}

/** Returns whether the host of a parsed URL is this machine. */
function isLoopback(hostname: string): boolean {
  return (
    /(?:^|\.)localhost$|^127\.|^\[::ffff:7f[0-9a-f]{2}:/.test(hostname) ||
    unspecifiedOrLoopback.includes(hostname)
  );
}

const unspecifiedOrLoopback = ['0.0.0.0', '[::]', '[::1]', '[::ffff:0:0]'];
