import { parseUrl } from '../network/parse-url.js';
import { hostnameOf } from './hostname.js';

/** Returns whether the platform's own links are served on a hostname, as `hostnameOf` returns it. */
export type IsOwnHost = (hostname: string) => boolean;

/** `hosts` returns the own hosts with their ports, which are unknown before the start. */
export function ownHostTest(hosts: () => readonly string[]): IsOwnHost {
  return (hostname) => {
    const own = hosts().map((host) => hostnameOf(parseUrl(`http://${host}`)?.host ?? host));
    // Every loopback name reaches the same server, so one of them stands for all.
    return own.includes(hostname) || (isLoopback(hostname) && own.some(isLoopback));
  };
}

/** Returns whether the host of a parsed URL is this machine. */
function isLoopback(hostname: string): boolean {
  return (
    /(?:^|\.)localhost$|^127\.|^\[::ffff:7f[0-9a-f]{2}:/.test(hostname) ||
    unspecifiedOrLoopback.includes(hostname)
  );
}

const unspecifiedOrLoopback = ['0.0.0.0', '[::]', '[::1]', '[::ffff:0:0]'];
