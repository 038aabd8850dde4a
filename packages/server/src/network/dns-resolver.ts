import { Resolver } from 'node:dns/promises';
import type { ResolveDns, ResolveTxt } from '../ports.js';
import { DnsError, type DnsFailure } from './dns-error.js';
import { findInHostsFile } from './hosts-file.js';

export interface DnsResolverOptions {
  /** IP addresses, with an optional port. Undefined uses the servers of the operating system. */
  readonly servers: readonly string[] | undefined;
  /** Limits one look-up, including its retries. */
  readonly timeoutMs: number;
}

const attemptMs = 1_500;
const attempts = 2;

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
    const local = await findInHostsFile(hostname);
    if (local.length > 0) return local;
    // RFC 6761 §6.3.
    if (/(?:^|\.)localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1'];
    const [ipv4, ipv6] = await lookUp(options, `addresses of ${hostname}`, (resolver) =>
      Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]),
    );
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') {
      throw dnsError(`addresses of ${hostname}`, ipv4.reason);
    }
    return [ipv4, ipv6].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
  };
}

async function lookUp<T>(
  { servers, timeoutMs }: DnsResolverOptions,
  what: string,
  query: (resolver: Resolver) => Promise<T>,
): Promise<T> {
  // `cancel` ends all look-ups of a resolver, and a new one reads the system's present servers.
  const resolver = new Resolver({ timeout: attemptMs, tries: attempts });
  if (servers) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  try {
    return await query(resolver);
  } catch (cause) {
    throw dnsError(what, cause);
  } finally {
    clearTimeout(timer);
  }
}

const failures: Readonly<Record<string, DnsFailure>> = {
  ENOTFOUND: 'no_name',
  ENODATA: 'no_record',
  ESERVFAIL: 'server_failure',
  EREFUSED: 'refused',
  ENOTIMP: 'refused',
  ETIMEOUT: 'timeout',
  ECANCELLED: 'timeout',
  ECONNREFUSED: 'unreachable',
};

function dnsError(what: string, cause: unknown): DnsError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = failures[code] ?? 'bad_answer';
  return new DnsError(reason, `${what}: ${reason}`, { cause });
}
