import type { Link } from './link.js';
import { SecondChanceMap } from './second-chance-map.js';

export interface LinkCacheOptions {
  /** The most links that are kept. */
  readonly max: number;
  readonly load: (domainId: string | null, key: string) => Promise<Link | undefined>;
}

interface Load {
  readonly link: Promise<Link | undefined>;
  readonly doubts: Doubts;
}

/** What may have changed since a read began. */
interface Doubts {
  readonly urlIds: Set<number>;
  ofAll: boolean;
}

/**
 * The links that were asked for lately. After `invalidate` has returned, no visitor is answered by
 * what was read before it, however hot the link is: an entry has no life of its own to renew, and
 * a read that was under way is made again.
 */
export class LinkCache {
  readonly #links: SecondChanceMap<string, Link>;
  readonly #load: LinkCacheOptions['load'];
  readonly #loads = new Map<string, Load>();
  // The cached keys of a link: its code and its slug, on each domain that it has lived on.
  readonly #keysOfUrl = new Map<number, Set<string>>();

  constructor({ max, load }: LinkCacheOptions) {
    this.#load = load;
    this.#links = new SecondChanceMap(max, (key, link) => this.#forgetKey(link.urlId, key));
  }

  /** The link at a path (`/` and a key) that is at hand; undefined when it must be loaded. */
  peek(domainId: string | null, path: string): Link | undefined {
    return this.#links.get(domainId === null ? path : domainId + path);
  }

  /** A link out of storage; undefined when there is none. Visitors that come meanwhile share it. */
  load(domainId: string | null, key: string): Promise<Link | undefined> {
    const name = cacheKey(domainId, key);
    const running = this.#loads.get(name);
    if (running) return running.link;
    const doubts: Doubts = { urlIds: new Set(), ofAll: false };
    const link = this.#read(domainId, key, doubts);
    this.#loads.set(name, { link, doubts });
    const settle = () => this.#loads.delete(name);
    link.then(settle, settle);
    return link;
  }

  /** Forgets links, by the ids of their records. */
  invalidate(urlIds: readonly number[]): void {
    for (const urlId of urlIds) {
      for (const { doubts } of this.#loads.values()) doubts.urlIds.add(urlId);
      for (const key of this.#keysOfUrl.get(urlId) ?? []) this.#links.delete(key);
      this.#keysOfUrl.delete(urlId);
    }
  }

  /** Forgets every link. */
  clear(): void {
    for (const { doubts } of this.#loads.values()) doubts.ofAll = true;
    this.#links.clear();
    this.#keysOfUrl.clear();
  }

  async #read(domainId: string | null, key: string, doubts: Doubts): Promise<Link | undefined> {
    for (;;) {
      const link = await this.#load(domainId, key);
      if (doubts.ofAll) {
        doubts.ofAll = false;
        continue;
      }
      if (link && doubts.urlIds.delete(link.urlId)) continue;
      // At once: a change that came in between would find nothing to forget.
      if (link) this.#remember(cacheKey(domainId, key), link);
      return link;
    }
  }

  #remember(name: string, link: Link): void {
    this.#links.set(name, link);
    const keys = this.#keysOfUrl.get(link.urlId);
    if (keys) keys.add(name);
    else this.#keysOfUrl.set(link.urlId, new Set([name]));
  }

  #forgetKey(urlId: number, key: string): void {
    const keys = this.#keysOfUrl.get(urlId);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOfUrl.delete(urlId);
  }
}

function cacheKey(domainId: string | null, key: string): string {
  return `${domainId ?? ''}/${key}`;
}
