import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports.js';
import { StorageUnavailableError } from '../storage/database.js';
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
// Storage that takes longer is as good as away: what was known of the host goes on to hold.
const patienceMs = 250;
const maxHosts = 10_000;

/** Which domain a Host header names: a custom one, or the platform's for every other host. */
export class HostResolver {
  readonly #options: HostResolverOptions;
  #hosts = new LRUCache<string, Entry>({ max: maxHosts });
  #looks = new Map<string, Promise<string | null>>();

  constructor(options: HostResolverOptions) {
    this.#options = options;
  }

  /** At once where it is known already. */
  find(host: string | undefined): string | null | Promise<string | null> {
    if (host === undefined || host === this.#options.shortDomain()) return null;
    const entry = this.#hosts.get(host);
    if (!entry) return this.#look(host);
    return entry.until > this.#options.clock() ? entry.domainId : this.#lookAgain(host, entry);
  }

  /** Forgets every host. Rare: only when a domain of this node was verified or deleted. */
  clear(): void {
    // What is being looked up is remembered in the old cache, which nobody asks any more.
    this.#hosts = new LRUCache({ max: maxHosts });
    this.#looks = new Map();
  }

  /** Visitors that come meanwhile share it. */
  #look(host: string): Promise<string | null> {
    const looks = this.#looks;
    const running = looks.get(host);
    if (running) return running;
    const look = this.#read(host, this.#hosts);
    looks.set(host, look);
    const settle = () => looks.delete(host);
    look.then(settle, settle);
    return look;
  }

  async #read(host: string, hosts: LRUCache<string, Entry>): Promise<string | null> {
    const until = this.#options.clock() + freshMs;
    const domainId = (await this.#options.findId(hostnameOf(host))) ?? null;
    hosts.set(host, { domainId, until });
    return domainId;
  }

  /** While storage is away, a host names what it named before. */
  async #lookAgain(host: string, { domainId }: Entry): Promise<string | null> {
    const hosts = this.#hosts;
    const late = Symbol();
    const found = await Promise.race([
      this.#look(host).catch((error) => {
        if (error instanceof StorageUnavailableError) return late;
        throw error;
      }),
      sleep(patienceMs, late, { ref: false }),
    ]);
    if (found !== late) return found as string | null;
    hosts.set(host, { domainId, until: this.#options.clock() + freshMs });
    return domainId;
  }
}
