import { isIP } from 'node:net';
import { entryLimit } from '../entry-limit.js';
import { LoadingCache } from '../loading-cache.js';
import type { Clock } from '../ports.js';
import { StorageUnavailableError } from '../storage/database.js';
import type { DomainSettings } from './domain-repository.js';
import { hostnameOf, type IsOwnHost } from './hostname.js';

export interface HostResolverOptions {
  /** Returns the host of the platform's links, with its port if it has one. */
  readonly shortDomain: () => string;
  readonly isOwnHost: IsOwnHost;
  readonly findDomain: (hostname: string) => Promise<
    | {
        readonly id: string;
        readonly organizationId: string;
        readonly settings: DomainSettings;
      }
    | undefined
  >;
  readonly platformSettings: DomainSettings;
  readonly clock: Clock;
  /** Called when an expired entry could not be read again, unless storage is unavailable. */
  readonly onError: (error: unknown) => void;
}

interface Entry {
  readonly domainId: string | null;
  readonly organizationId: string | null;
  readonly settings: DomainSettings;
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
  const { shortDomain, isOwnHost, findDomain, platformSettings, clock, onError } = options;
  const hosts = new LoadingCache<Entry>(entryLimit(maxHosts), async (host) => {
    const expiresAt = clock() + maxAgeMs;
    const hostname = hostnameOf(host);
    const domain = canBeCustomDomain(hostname) ? await findDomain(hostname) : undefined;
    return {
      domainId: domain?.id ?? null,
      organizationId: domain?.organizationId ?? null,
      settings: domain?.settings ?? platformSettings,
      expiresAt,
    };
  });
  const isPlatform = (host: string | undefined): host is undefined =>
    host === undefined || host === shortDomain() || host.length > maxHostLength;
  /** Returns the cached entry of a host, and reads it again when it has expired. */
  function cached(host: string): Entry | undefined {
    const entry = hosts.get(host);
    const now = clock();
    if (entry && entry.expiresAt <= now) {
      entry.expiresAt = now + maxAgeMs;
      hosts.load(host).catch((error: unknown) => {
        if (!(error instanceof StorageUnavailableError)) onError(error);
      });
    }
    return entry;
  }
  return {
    /** Returns a promise only where storage must be read. */
    find(host: string | undefined): string | null | Promise<string | null> {
      if (isPlatform(host)) return null;
      const entry = cached(host);
      if (!entry) return hosts.load(host).then((loaded) => loaded?.domainId ?? null);
      return entry.domainId;
    },

    /**
     * Returns the organization whose custom domain a host is; null for every other host, and for the
     * server's own hosts. Also returns null for a host that cannot be read because storage is
     * unavailable: health checks must get their response then.
     */
    async findOrganization(host: string | undefined): Promise<string | null> {
      if (isPlatform(host) || isOwnHost(hostnameOf(host))) return null;
      try {
        return (cached(host) ?? (await hosts.load(host)))?.organizationId ?? null;
      } catch (error) {
        if (error instanceof StorageUnavailableError) return null;
        throw error;
      }
    },

    /** Returns the settings of the domain that serves a host, or a promise, as `find` does. */
    settingsOf(host: string | undefined): DomainSettings | Promise<DomainSettings> {
      if (isPlatform(host)) return platformSettings;
      const entry = cached(host);
      if (!entry) return hosts.load(host).then((loaded) => loaded?.settings ?? platformSettings);
      return entry.settings;
    },

    /** Evicts all hosts, after a domain was changed. */
    clear: () => hosts.clear(),
  };
}

/** Returns whether storage can have a hostname: addresses and names of a single label are refused. */
function canBeCustomDomain(hostname: string): boolean {
  return hostname.includes('.') && !hostname.startsWith('[') && isIP(hostname) === 0;
}
