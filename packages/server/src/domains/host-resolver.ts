import { setTimeout as sleep } from 'node:timers/promises';
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

// A change of a domain on another node takes effect on this node within this time.
const maxAgeMs = 1_000;
// Slower storage counts as unavailable, and the expired entry is used again.
const refreshTimeoutMs = 250;
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
    return entry.expiresAt > this.#options.clock() ? entry.domainId : this.#refresh(host, entry);
  }

  /** Evicts all hosts, after a domain was verified or deleted. */
  clear(): void {
    this.#hosts.clear();
  }

  async #lookUp(host: string): Promise<string | null> {
    return (await this.#hosts.load(host))?.domainId ?? null;
  }

  /** Reads storage again. Uses the expired entry for another second when storage is unavailable. */
  async #refresh(host: string, entry: Entry): Promise<string | null> {
    const unavailable = Symbol();
    const found = await Promise.race([
      this.#lookUp(host).catch((error) => {
        if (error instanceof StorageUnavailableError) return unavailable;
        throw error;
      }),
      sleep(refreshTimeoutMs, unavailable, { ref: false }),
    ]);
    if (found !== unavailable) return found as string | null;
    entry.expiresAt = this.#options.clock() + maxAgeMs;
    return entry.domainId;
  }
}
