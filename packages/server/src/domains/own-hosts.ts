import { parseUrl } from '../network/parse-url.js';
import { hostnameOf } from './hostname.js';

/**
 * Returns whether the platform's own links are served on a hostname, as `hostnameOf` returns it. With a port,
 * that of a URL, another server on this machine is not its own.
 */
export type IsOwnHost = (hostname: string, port?: string) => boolean;

export function ownHostTest(hosts: readonly string[]): IsOwnHost {
  const own = hosts.map((host) => {
    const url = parseUrl(`http://${host}`);
    return { hostname: hostnameOf(url?.host ?? host), port: url?.port };
  });
  const loopback = own.filter((each) => isLoopback(each.hostname));
  return (hostname, port) =>
    // Every loopback name reaches the same server, so one of them stands for all.
    isLoopback(hostname)
      ? loopback.some((each) => port === undefined || each.port === port)
      : own.some((each) => each.hostname === hostname);
}

function isLoopback(hostname: string): boolean {
  return (
    /(?:^|\.)localhost$|^127\.|^\[::ffff:7f[0-9a-f]{2}:/.test(hostname) ||
    unspecifiedOrLoopback.includes(hostname)
  );
}

const unspecifiedOrLoopback = ['0.0.0.0', '[::]', '[::1]', '[::ffff:0:0]'];
