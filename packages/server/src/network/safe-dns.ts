import { isIP } from 'node:net';
import { DnsError, resolveIpv4 } from './dns-resolver.js';
import { withoutBrackets } from './ip-address.js';

export interface SafeDnsOptions {
  /** The resolvers that filter harmful hosts: addresses with optional ports. */
  readonly servers: readonly string[];
  /** The resolvers that do not; undefined uses the system's. */
  readonly plainServers: readonly string[] | undefined;
}

// For one host, and for all hosts of a request. What has no answer by then is not blocked.
const timeoutMs = 1_000;
const totalTimeoutMs = 5_000;
const concurrency = 16;

/** Asks a filtering resolver which hosts it blocks. */
export class SafeDns {
  readonly #options: SafeDnsOptions;
  /** The number of hosts that were not checked, because a resolver did not answer in time. */
  unanswered = 0;

  constructor(options: SafeDnsOptions) {
    this.#options = options;
  }

  /** Returns whether each host is blocked. Hosts without an answer are left out. */
  async check(hosts: Iterable<string>): Promise<Map<string, boolean>> {
    const answers = new Map<string, boolean>();
    // The workers share the iterator.
    const waiting = [...new Set(hosts)].filter(isName).values();
    const endsAt = performance.now() + totalTimeoutMs;
    const work = async () => {
      for (const host of waiting) {
        const isBlocked = performance.now() < endsAt ? await this.#isBlocked(host) : undefined;
        if (isBlocked === undefined) this.unanswered += 1;
        else answers.set(host, isBlocked);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return answers;
  }

  /** Returns undefined if a resolver did not answer. */
  async #isBlocked(host: string): Promise<boolean | undefined> {
    const { servers, plainServers } = this.#options;
    const filtered = await find(host, servers);
    if (filtered === undefined) return undefined;
    // Cloudflare and AdGuard block a host by this address.
    if (filtered.includes('0.0.0.0')) return true;
    if (filtered.length > 0) return false;
    // Quad9 and CleanBrowsing say that a blocked host does not exist.
    const plain = await find(host, plainServers);
    return plain && plain.length > 0;
  }
}

/** Returns the IPv4 addresses of a host, without any if it has none; undefined without an answer. */
async function find(
  host: string,
  servers: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  try {
    return await resolveIpv4({ servers, timeoutMs }, host);
  } catch (error) {
    if (!(error instanceof DnsError)) throw error;
    return error.reason === 'no_name' || error.reason === 'no_record' ? [] : undefined;
  }
}

function isName(host: string): boolean {
  return host !== '' && isIP(withoutBrackets(host)) === 0;
}
