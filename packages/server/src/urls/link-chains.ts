import type { Kysely } from 'kysely';
import { hostnameOf } from '../domains/hostname.js';
import { parseUrl } from '../network/parse-url.js';
import type { Schema } from '../storage/schema.js';
import type { ShortUrl } from './short-url.js';
import { domainKeyOf } from './url-keys.js';

/** Links of this server that may follow one another. */
export const maxHops = 10;

/** What a target names when its path could be that of a short link. */
export interface LinkName {
  readonly hostname: string;
  readonly key: string;
}

/** The part of a link that a chain of links depends on. */
export type ChainedUrl = Pick<
  ShortUrl,
  'id' | 'targetUrl' | 'domainId' | 'shortCode' | 'customSlug'
>;

/** Returns the host, as the URL standard writes it, and the key of a target. */
export function linkNameOf(targetUrl: string): LinkName | undefined {
  const url = parseUrl(targetUrl);
  const [, key] = /^\/+([^/]{3,150})\/*$/.exec(url?.pathname ?? '') ?? [];
  return url && key !== undefined
    ? { hostname: hostnameOf(url.host), key: decodePath(key) }
    : undefined;
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Follows targets from link to link. A write that would close a circle is refused, whether or not
 * the links in it are active, so no sequence of writes makes one.
 */
export class LinkChains {
  readonly #ownHosts: () => readonly string[];

  /** `ownHosts` are the hosts, with a port or without, on which the platform's links are served. */
  constructor(ownHosts: () => readonly string[]) {
    this.#ownHosts = ownHosts;
  }

  /** Returns those of the links whose target names a host of this server. */
  async stayingHere<Url extends ChainedUrl>(
    db: Kysely<Schema>,
    urls: readonly Url[],
  ): Promise<readonly Url[]> {
    const hostnames = new Map<Url, string>();
    for (const url of urls) {
      const name = linkNameOf(url.targetUrl);
      if (name) hostnames.set(url, name.hostname);
    }
    const own = this.#ownHostnames();
    const foreign = [...new Set(hostnames.values())].filter((hostname) => !own.has(hostname));
    const domains = await findDomainIds(db, foreign);
    return [...hostnames]
      .filter(([, hostname]) => own.has(hostname) || domains.has(hostname))
      .map(([url]) => url);
  }

  /**
   * Returns whether the target of a link leads back to it, or through more than `maxHops` links.
   * `exists` hides links that the caller is about to remove.
   */
  async leadsBack(
    db: Kysely<Schema>,
    start: ChainedUrl,
    exists: (id: number) => boolean = () => true,
  ): Promise<boolean> {
    let { targetUrl } = start;
    for (let hops = 0; hops <= maxHops; hops += 1) {
      const name = linkNameOf(targetUrl);
      const domainKey = name && (await this.#domainKeyOf(db, name.hostname));
      if (!name || domainKey === undefined) return false;
      const isStart =
        domainKey === domainKeyOf(start.domainId) &&
        (name.key === start.shortCode || name.key === start.customSlug);
      if (isStart) return true;
      const next = await db
        .selectFrom('url_keys')
        .innerJoin('urls', 'urls.id', 'url_keys.url_id')
        .select(['urls.id', 'urls.target_url'])
        .where('url_keys.domain_key', '=', domainKey)
        .where('url_keys.key', '=', name.key)
        .executeTakeFirst();
      if (!next || !exists(next.id)) return false;
      // A link keeps the keys of the domains that it was on.
      if (next.id === start.id) return true;
      targetUrl = next.target_url;
    }
    return true;
  }

  async #domainKeyOf(db: Kysely<Schema>, hostname: string): Promise<string | undefined> {
    if (this.#ownHostnames().has(hostname)) return domainKeyOf(null);
    return (await findDomainIds(db, [hostname])).get(hostname);
  }

  #ownHostnames(): ReadonlySet<string> {
    const hostnames = new Set(this.#ownHosts().map(hostnameOf));
    // A server that is reached through loopback is reached through each of its names.
    const isLocal = [...hostnames].some(
      (hostname) => /(^|\.)localhost$|^127\./.test(hostname) || loopback.includes(hostname),
    );
    return isLocal ? new Set([...hostnames, ...loopback]) : hostnames;
  }
}

const loopback = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'];

async function findDomainIds(
  db: Kysely<Schema>,
  hostnames: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hostnames.length === 0) return new Map();
  const rows = await db
    .selectFrom('domains')
    .select(['id', 'hostname'])
    .where('is_active', '=', 1)
    .where('hostname', 'in', hostnames)
    .execute();
  return new Map(rows.map(({ id, hostname }) => [hostname, id]));
}
