import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { ResolveDns, ResolveTxt } from '../ports.js';

export class DnsError extends Error {
  override readonly name = 'DnsError';
  /** That of Node's resolver, such as ESERVFAIL. */
  readonly code: string;

  constructor(code: string, what: string, options?: ErrorOptions) {
    super(`${what}: ${code}`, options);
    this.code = code;
  }

  /** Whether the name does not exist, or has no record of the type. */
  get isMissing(): boolean {
    return this.code === 'ENOTFOUND' || this.code === 'ENODATA';
  }
}

export interface DnsResolverOptions {
  /** IP addresses, with an optional port. Undefined uses the servers of the operating system. */
  readonly servers: readonly string[] | undefined;
  /** Limits one look-up, including its retries. */
  readonly timeoutMs: number;
}

// The second attempt waits twice as long as the first.
const attempts = 2;
const firstAttemptShare = 0.3;

/** Returns a function that looks up TXT records in DNS. It uses no hosts file and no search list. */
export function createTxtResolver(options: DnsResolverOptions): ResolveTxt {
  return async (name) => {
    const records = await lookUp(options, `TXT records of ${name}`, (resolver) =>
      resolver.resolveTxt(name),
    );
    // RFC 1035 §3.3.14: a record is a list of strings of at most 255 bytes.
    return records.map((strings) => strings.join(''));
  };
}

/**
 * Returns a function that finds the addresses of a host: in the hosts file, and else in DNS. It uses
 * no search list.
 *
 * It does not call getaddrinfo, which `dns.lookup` uses. That blocks a thread of libuv's pool until
 * it returns, and Node runs at most two such calls at a time in a process. Two names whose servers
 * never answer would delay the look-ups of every organization.
 */
export function createAddressResolver(options: DnsResolverOptions): ResolveDns {
  return async (hostname) => {
    const local = findInHosts(await readHostsFile(), hostname);
    if (local.length > 0) return local;
    // RFC 6761 §6.3.
    if (/(?:^|\.)localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1'];
    return lookUp(options, `addresses of ${hostname}`, async (resolver) => {
      const queries = [resolver.resolve4(hostname), resolver.resolve6(hostname)] as const;
      const [ipv4, ipv6] = await Promise.allSettled(queries);
      if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
      return [ipv4, ipv6].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
    });
  };
}

export function resolveIpv4(options: DnsResolverOptions, hostname: string): Promise<string[]> {
  return lookUp(options, `addresses of ${hostname}`, (resolver) => resolver.resolve4(hostname));
}

async function lookUp<T>(
  { servers, timeoutMs }: DnsResolverOptions,
  what: string,
  query: (resolver: Resolver) => Promise<T>,
): Promise<T> {
  // `cancel` ends all look-ups of a resolver, and a new one reads the system's present servers.
  const resolver = new Resolver({
    timeout: Math.ceil(firstAttemptShare * timeoutMs),
    tries: attempts,
  });
  if (servers) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  try {
    return await query(resolver);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // The timer has cancelled it.
    throw new DnsError(code === 'ECANCELLED' ? 'ETIMEOUT' : String(code), what, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the addresses that the text of a hosts file has for a host. */
export function findInHosts(text: string, hostname: string): string[] {
  const wanted = withoutFinalDot(hostname);
  return text.split('\n').flatMap((line) => {
    const [entry = ''] = line.split('#');
    const [address = '', ...names] = entry.split(/\s/).filter((word) => word !== '');
    const isMatch = isIP(address) !== 0 && names.some((name) => withoutFinalDot(name) === wanted);
    return isMatch ? [address] : [];
  });
}

function withoutFinalDot(name: string): string {
  return (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase();
}

async function readHostsFile(): Promise<string> {
  try {
    return await readFile('/etc/hosts', 'utf8');
  } catch (error) {
    // Containers without a libc and Windows do not have the file.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
