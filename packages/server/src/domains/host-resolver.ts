import { entryLimit } from '../entry-limit.js';
import { LoadingCache } from '../loading-cache.js';
import type { Clock } from '../ports.js';
import { StorageUnavailableError } from '../storage/database.js';
import { hostnameOf } from './hostname.js';

export interface HostResolverOptions {
  /** Returns the host of the platform's links, with its port if it has one. */
  readonly shortDomain: () => string;
  /** Returns the id of the custom domain that serves links on a hostname. */
  readonly findId: (hostname: string) => Promise<string | undefined>;
  readonly clock: Clock;
  /** Called when an expired entry could not be read again, unless storage is unavailable. */
  readonly onError: (error: unknown) => void;
}

interface Entry {
  readonly domainId: string | null;
  expiresAt: number;
}

// An older entry is read again. It is used until then, also while storage is unavailable.
const maxAgeMs = 1_000;
const maxHosts = 10_000;
// 253 characters for the name, a final dot, and a colon with a port of 5 digits. A longer host is not a
// custom domain, and as a cache key it would take up to 80 KB.
const maxHostLength = 260;

export type HostResolver = ReturnType<typeof createHostResolver>;

/** Resolves Host headers to the ids of custom domains, or to null: the platform's domain. */
export function createHostResolver({ shortDomain, findId, clock, onError }: HostResolverOptions) {
  const hosts = new LoadingCache<Entry>(entryLimit(maxHosts), async (host) => {
    const expiresAt = clock() + maxAgeMs;
    return { domainId: (await findId(hostnameOf(host))) ?? null, expiresAt };
  });
  return {
    /** Returns a promise only where storage must be read. */
    find(host: string | undefined): string | null | Promise<string | null> {
      if (host === undefined || host === shortDomain() || host.length > maxHostLength) return null;
      const entry = hosts.get(host);
      if (!entry) return hosts.load(host).then((loaded) => loaded?.domainId ?? null);
      const now = clock();
      if (entry.expiresAt <= now) {
        entry.expiresAt = now + maxAgeMs;
        hosts.load(host).catch((error: unknown) => {
          if (!(error instanceof StorageUnavailableError)) onError(error);
        });
      }
      return entry.domainId;
    },

    /** Evicts all hosts, after a domain was verified or deleted. */
    clear: () => hosts.clear(),
  };
}
