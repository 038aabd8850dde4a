import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports.js';

export interface HostResolverOptions {
  /** The platform's own host, with its port if need be. */
  readonly shortDomain: () => string;
  readonly findActiveId: (hostname: string) => Promise<string | undefined>;
  readonly clock: Clock;
}

interface Entry {
  readonly domainId: string | null;
  readonly until: number;
}

// A domain that is verified or removed takes hold within this time, here and on other nodes.
const freshMs = 1_000;
const maxHosts = 10_000;

/** Which domain a Host header names: a custom one, or the platform's for every other host. */
export class HostResolver {
  readonly #options: HostResolverOptions;
  readonly #hosts = new LRUCache<string, Entry>({ max: maxHosts });

  constructor(options: HostResolverOptions) {
    this.#options = options;
  }

  /** At once where it is known already. */
  find(host: string | undefined): string | null | Promise<string | null> {
    if (host === undefined || host === this.#options.shortDomain()) return null;
    const entry = this.#hosts.get(host);
    return entry && entry.until > this.#options.clock() ? entry.domainId : this.#look(host);
  }

  async #look(host: string): Promise<string | null> {
    const until = this.#options.clock() + freshMs;
    // Without its port and the dot that ends a fully qualified name.
    const hostname = host.replace(/\.?(?::\d*)?$/, '').toLowerCase();
    const domainId = (await this.#options.findActiveId(hostname)) ?? null;
    this.#hosts.set(host, { domainId, until });
    return domainId;
  }
}
