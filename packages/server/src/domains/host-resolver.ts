import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports.js';
import { hostnameOf } from './hostname.js';

export interface HostResolverOptions {
  /** The platform's own host, with its port if need be. */
  readonly shortDomain: () => string;
  /** The custom domain whose links are looked up by this name. */
  readonly findId: (hostname: string) => Promise<string | undefined>;
  readonly clock: Clock;
}

interface Entry {
  readonly domainId: string | null;
  readonly until: number;
}

// A domain that is verified or removed on another node takes hold here within this time.
const freshMs = 1_000;
const maxHosts = 10_000;

/** Which domain a Host header names: a custom one, or the platform's for every other host. */
export class HostResolver {
  readonly #options: HostResolverOptions;
  #hosts = new LRUCache<string, Entry>({ max: maxHosts });

  constructor(options: HostResolverOptions) {
    this.#options = options;
  }

  /** At once where it is known already. */
  find(host: string | undefined): string | null | Promise<string | null> {
    if (host === undefined || host === this.#options.shortDomain()) return null;
    const entry = this.#hosts.get(host);
    return entry && entry.until > this.#options.clock() ? entry.domainId : this.#look(host);
  }

  /** Forgets every host. Rare: only when a domain of this node was verified or deleted. */
  forget(): void {
    // What is being looked up is remembered in the old cache, which nobody asks any more.
    this.#hosts = new LRUCache({ max: maxHosts });
  }

  async #look(host: string): Promise<string | null> {
    const hosts = this.#hosts;
    const until = this.#options.clock() + freshMs;
    const domainId = (await this.#options.findId(hostnameOf(host))) ?? null;
    hosts.set(host, { domainId, until });
    return domainId;
  }
}
