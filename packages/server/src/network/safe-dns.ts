import { isIP } from 'node:net';
import { DnsError, resolveIpv4 } from './dns-resolver.js';
import { withoutBrackets } from './ip-address.js';

// For one host, and for all hosts of a request. What has no answer by then is not blocked.
const timeoutMs = 1_000;
const totalTimeoutMs = 5_000;
const concurrency = 16;

export type SafeDns = ReturnType<typeof createSafeDns>;

/**
 * Asks filtering resolvers which hosts they block. `servers` are these, and `plainServers` are resolvers
 * that do not filter: addresses with optional ports. Without the latter, those of the system are asked.
 */
export function createSafeDns(
  servers: readonly string[],
  plainServers: readonly string[] | undefined,
) {
  let unanswered = 0;

  /** Returns undefined if a resolver did not answer. */
  async function isBlocked(host: string): Promise<boolean | undefined> {
    const filtered = await find(host, servers);
    if (filtered === undefined) return undefined;
    // Cloudflare and AdGuard block a host by this address.
    if (filtered.includes('0.0.0.0')) return true;
    if (filtered.length > 0) return false;
    // Quad9 and CleanBrowsing say that a blocked host does not exist.
    const plain = await find(host, plainServers);
    return plain && plain.length > 0;
  }

  return {
    /** The number of hosts that were not checked, because a resolver did not answer in time. */
    get unanswered() {
      return unanswered;
    },

    /** Returns whether each host is blocked. Hosts without an answer are left out. */
    async check(hosts: Iterable<string>): Promise<Map<string, boolean>> {
      const answers = new Map<string, boolean>();
      // The workers share the iterator.
      const waiting = [...new Set(hosts)].filter(isName).values();
      const endsAt = performance.now() + totalTimeoutMs;
      const work = async () => {
        for (const host of waiting) {
          const answer = performance.now() < endsAt ? await isBlocked(host) : undefined;
          if (answer === undefined) unanswered += 1;
          else answers.set(host, answer);
        }
      };
      await Promise.all(Array.from({ length: concurrency }, work));
      return answers;
    },
  };
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
    return error.isMissing ? [] : undefined;
  }
}

function isName(host: string): boolean {
  return host !== '' && isIP(withoutBrackets(host)) === 0;
}
