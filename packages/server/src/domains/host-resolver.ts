import { isIP } from 'node:net';
import { entryLimit } from '../entry-limit.js';
import { loadingCache } from '../loading-cache.js';
import type { Clock } from '../ports.js';
import { StorageUnavailableError } from '../storage/database.js';
import type { DomainSettings, FindByHostname } from './domain-repository.js';
import { hostnameOf, type IsOwnHost } from './hostname.js';

export interface HostResolverOptions {
  /** Returns the host of the platform's links, with its port if it has one. */
  readonly shortDomain: () => string;
  readonly isOwnHost: IsOwnHost;
  readonly findByHostname: FindByHostname;
  readonly platformSettings: DomainSettings;
  readonly clock: Clock;
  /** Called when an expired entry could not be read again, unless storage is unavailable. */
  readonly onError: (error: unknown) => void;
}

interface Entry {
  /** Undefined for a host that is no custom domain. */
  readonly domain: Awaited<ReturnType<FindByHostname>>;
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
export function createHostResolver(options: HostResolverOptions) {
  const { shortDomain, isOwnHost, findByHostname, platformSettings, clock, onError } = options;
  const hosts = loadingCache<Entry>(entryLimit(maxHosts), async (host) => {
    const expiresAt = clock() + maxAgeMs;
    const hostname = hostnameOf(host);
    const domain = canBeCustomDomain(hostname) ? await findByHostname(hostname) : undefined;
    return { domain, expiresAt };
  });
  const isPlatform = (host: string | undefined): host is undefined =>
    host === undefined || host === shortDomain() || host.length > maxHostLength;
  /** Returns the entry of a host, which is read again in the background when it has expired. */
  function entryOf(host: string): Entry | Promise<Entry | undefined> {
    const entry = hosts.get(host);
    const now = clock();
    if (entry && entry.expiresAt <= now) {
      entry.expiresAt = now + maxAgeMs;
      hosts.load(host).catch((error: unknown) => {
        if (!(error instanceof StorageUnavailableError)) onError(error);
      });
    }
    return entry ?? hosts.load(host);
  }
  return {
    /** Returns the id of the custom domain; a promise only where storage must be read. */
    find(host: string | undefined): string | null | Promise<string | null> {
      if (isPlatform(host)) return null;
      const entry = entryOf(host);
      return entry instanceof Promise
        ? entry.then((loaded) => loaded?.domain?.id ?? null)
        : (entry.domain?.id ?? null);
    },

    /**
     * Returns the organization whose custom domain a host is; null for every other host, and for the
     * server's own hosts. Also returns null for a host that cannot be read because storage is
     * unavailable: health checks must get their response then.
     */
    async findOrganization(host: string | undefined): Promise<string | null> {
      if (isPlatform(host) || isOwnHost(hostnameOf(host))) return null;
      try {
        return (await entryOf(host))?.domain?.organizationId ?? null;
      } catch (error) {
        if (error instanceof StorageUnavailableError) return null;
        throw error;
      }
    },

    async settingsOf(host: string | undefined): Promise<DomainSettings> {
      const entry = isPlatform(host) ? undefined : await entryOf(host);
      return entry?.domain?.settings ?? platformSettings;
    },

    /** Evicts all hosts, after a domain was changed. */
    clear: () => hosts.clear(),
  };
}

/** Returns whether storage can have a hostname: addresses and names of a single label are refused. */
function canBeCustomDomain(hostname: string): boolean {
  return hostname.includes('.') && !hostname.startsWith('[') && isIP(hostname) === 0;
}
