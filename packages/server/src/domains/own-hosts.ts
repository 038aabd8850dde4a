import { parseUrl } from '../network/parse-url.js';
import { hostnameOf } from './hostname.js';

/** The hosts on which the platform's own links are served. */
export class OwnHosts {
  readonly #hosts: () => readonly string[];

  /** `hosts` returns hosts with ports. `has` calls it, because ports are unknown before the start. */
  constructor(hosts: () => readonly string[]) {
    this.#hosts = hosts;
  }

  /** Returns whether a hostname, as `hostnameOf` returns it, is one of them. */
  has(hostname: string): boolean {
    const own = this.#hosts().map((host) => hostnameOf(parseUrl(`http://${host}`)?.host ?? host));
    // Every loopback name reaches the same server, so one of them stands for all.
    return own.includes(hostname) || (isLoopback(hostname) && own.some(isLoopback));
  }
}

/** Returns whether the host of a parsed URL is this machine. */
function isLoopback(hostname: string): boolean {
  return (
    /(?:^|\.)localhost$|^127\.|^\[::ffff:7f[0-9a-f]{2}:/.test(hostname) ||
    unspecifiedOrLoopback.includes(hostname)
  );
}

const unspecifiedOrLoopback = ['0.0.0.0', '[::]', '[::1]', '[::ffff:0:0]'];
