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

/** Resolves a Host header to the id of a custom domain, or to null: the platform's domain. */
export class HostResolver {
  readonly #options: HostResolverOptions;
  readonly #hosts: LoadingCache<Entry>;

  constructor(options: HostResolverOptions) {
    this.#options = options;
    this.#hosts = new LoadingCache({ max: maxHosts }, async (host) => {
      const expiresAt = options.clock() + maxAgeMs;
      return { domainId: (await options.findId(hostnameOf(host))) ?? null, expiresAt };
    });
  }

  /** Returns a promise only where storage must be read. */
  find(host: string | undefined): string | null | Promise<string | null> {
    if (host === undefined || host === this.#options.shortDomain()) return null;
    if (host.length > maxHostLength) return null;
    const entry = this.#hosts.get(host);
    if (!entry) return this.#lookUp(host);
    const now = this.#options.clock();
    if (entry.expiresAt <= now) {
      entry.expiresAt = now + maxAgeMs;
      this.#hosts.load(host).catch((error: unknown) => {
        if (!(error instanceof StorageUnavailableError)) throw error;
      });
    }
    return entry.domainId;
  }

  /** Evicts all hosts, after a domain was verified or deleted. */
  clear(): void {
    this.#hosts.clear();
  }

  async #lookUp(host: string): Promise<string | null> {
    return (await this.#hosts.load(host))?.domainId ?? null;
  }
}
