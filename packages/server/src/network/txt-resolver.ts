import { Resolver } from 'node:dns/promises';
import type { ResolveTxt } from '../ports.js';
import { DnsError, type DnsFault } from './dns-error.js';

export interface TxtResolverOptions {
  /** Addresses, with a port if need be; undefined stands for the system's. */
  readonly servers: readonly string[] | undefined;
  /** For a look-up as a whole. */
  readonly timeoutMs: number;
}

const attemptMs = 1_500;
const attempts = 2;

/** Asks DNS itself: neither the hosts file nor a search list is in between. */
export function createTxtResolver({ servers, timeoutMs }: TxtResolverOptions): ResolveTxt {
  return async (name) => {
    // One for each look-up, so that it can be cut off alone, and knows the system's servers of today.
    const resolver = new Resolver({ timeout: attemptMs, tries: attempts });
    if (servers) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), timeoutMs);
    try {
      // RFC 1035 §3.3.14: a record is strings of at most 255 bytes; a longer text is cut into them.
      return (await resolver.resolveTxt(name)).map((strings) => strings.join(''));
    } catch (cause) {
      const fault = faultOf(cause);
      throw new DnsError(fault, `TXT records of ${name}: ${fault}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  };
}

const faults: Readonly<Record<string, DnsFault>> = {
  ENOTFOUND: 'no_name',
  ENODATA: 'no_record',
  ESERVFAIL: 'server_failure',
  EREFUSED: 'refused',
  ENOTIMP: 'refused',
  ETIMEOUT: 'timeout',
  ECANCELLED: 'timeout',
  ECONNREFUSED: 'unreachable',
};

function faultOf(cause: unknown): DnsFault {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return faults[code] ?? 'bad_answer';
}
