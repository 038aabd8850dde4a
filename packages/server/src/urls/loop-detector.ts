import type { Kysely } from 'kysely';
import { findDomainsOf } from '../domains/domain-repository.js';
import { hostnameOf } from '../domains/hostname.js';
import type { IsOwnHost } from '../domains/own-hosts.js';
import { parseUrl } from '../network/parse-url.js';
import type { Schema } from '../storage/schema.js';
import type { ShortUrl } from './short-url.js';
import { domainKeyOf, mapKeyOf } from './url-keys.js';

/** How many links of this server a visitor may be redirected through. */
export const maxHops = 10;

/** The fields of a link that the detection of loops reads. */
export type LoopCheckedUrl = Pick<ShortUrl, 'id' | 'domainId' | 'shortCode' | 'customSlug'> &
  Targets;

/** The fields by which a link leads somewhere. */
type Targets = Pick<ShortUrl, TargetField>;
const targetFields = ['targetUrl', 'expiredUrl'] as const;
export type TargetField = (typeof targetFields)[number];

/**
 * Returns the hostname, as `hostnameOf` does, and the key of a target. Returns undefined when its path
 * cannot be that of a short link.
 */
export function linkNameOf(targetUrl: string) {
  const path = parseLinkPath(targetUrl);
  return path && path.rest === '' && /^.{3,50}$/.test(path.key)
    ? { hostname: path.hostname, key: path.key }
    : undefined;
}

/** Returns the hostname of a URL, the first segment of its path, and the further segments, if any. */
export function parseLinkPath(href: string) {
  const url = parseUrl(href);
  if (!url) return undefined;
  const path = decodePath(url.pathname).replace(/^\/+/, '');
  const [key = ''] = path.split('/', 1);
  const rest = path.slice(key.length);
  return { hostname: hostnameOf(url.host), key, rest: /[^/]/.test(rest) ? rest : '' };
}

/**
 * Returns the hostname and the key of a short URL, which may lack the scheme. A key alone has no
 * hostname. Returns undefined for any other text.
 */
export function parseShortUrl(text: string) {
  if (/^[A-Za-z0-9-]{3,50}$/.test(text)) return { hostname: undefined, key: text };
  return linkNameOf(/^https?:\/\//i.test(text) ? text : `https://${text}`);
}

/** Decodes percent escapes and dot segments, because a proxy in front of the server may do so. */
function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return new URL(`http://localhost${decodeURIComponent(path)}`).pathname;
  } catch {
    return path;
  }
}

/**
 * Detects redirect loops. A write that would close a loop is refused, even when links in the loop are
 * inactive, because they may be activated later.
 */
export class LoopDetector {
  readonly #isOwnHost: IsOwnHost;

  constructor(isOwnHost: IsOwnHost) {
    this.#isOwnHost = isOwnHost;
  }

  /** Returns the links that lead to a host of this server. */
  async findLocal<Url extends LoopCheckedUrl>(
    db: Kysely<Schema>,
    urls: readonly Url[],
  ): Promise<readonly Url[]> {
    const hostnames = new Map<Url, readonly string[]>();
    for (const url of urls) {
      const named = targetsOf(url).flatMap((target) => linkNameOf(target)?.hostname ?? []);
      if (named.length > 0) hostnames.set(url, named);
    }
    const isOwn = this.#isOwnHost;
    const others = [...new Set([...hostnames.values()].flat())].filter((each) => !isOwn(each));
    const domains = await findDomainsOf(db, others);
    return [...hostnames]
      .filter(([, named]) => named.some((each) => isOwn(each) || domains.has(each)))
      .map(([url]) => url);
  }

  /**
   * Returns the field by which a link leads back to itself, or through more than `maxHops` links; each of
   * these may lead to its target or, once it has expired, to its `expiredUrl`. `findPending` finds links
   * that the transaction has not inserted yet, by `mapKeyOf`.
   */
  async findLoop(
    db: Kysely<Schema>,
    start: LoopCheckedUrl,
    findPending: (mapKey: string) => LoopCheckedUrl | undefined = () => undefined,
  ): Promise<TargetField | undefined> {
    for (const field of targetFields) {
      const target = start[field];
      if (target === null) continue;
      if (await this.#leadsBack(db, start, target, findPending)) return field;
    }
    return undefined;
  }

  async #leadsBack(
    db: Kysely<Schema>,
    start: LoopCheckedUrl,
    target: string,
    findPending: (mapKey: string) => LoopCheckedUrl | undefined,
  ): Promise<boolean> {
    let targets: ReadonlySet<string> = new Set([target]);
    for (let hops = 0; hops <= maxHops; hops += 1) {
      const nextTargets = new Set<string>();
      for (const each of targets) {
        const name = linkNameOf(each);
        const domainKey = name && (await this.findDomainKey(db, name.hostname));
        if (!name || domainKey === undefined) continue;
        const isStart =
          domainKey === domainKeyOf(start.domainId) &&
          (name.key === start.shortCode || name.key === start.customSlug);
        if (isStart) return true;
        const key = { domain_key: domainKey, key: name.key };
        const next = findPending(mapKeyOf(key)) ?? (await findTarget(db, key));
        if (!next) continue;
        // A link also has the keys of the domains that it was on before.
        if (next.id === start.id) return true;
        for (const further of targetsOf(next)) nextTargets.add(further);
      }
      if (nextTargets.size === 0) return false;
      targets = nextTargets;
    }
    return true;
  }

  /** Returns the `domain_key` of the links on a hostname; undefined when no links are served there. */
  async findDomainKey(db: Kysely<Schema>, hostname: string): Promise<string | undefined> {
    if (this.#isOwnHost(hostname)) return domainKeyOf(null);
    return (await findDomainsOf(db, [hostname])).get(hostname)?.id;
  }
}

function targetsOf({ targetUrl, expiredUrl }: Targets): readonly string[] {
  return expiredUrl === null ? [targetUrl] : [targetUrl, expiredUrl];
}

function findTarget(
  db: Kysely<Schema>,
  { domain_key, key }: { readonly domain_key: string; readonly key: string },
): Promise<Pick<LoopCheckedUrl, 'id' | TargetField> | undefined> {
  return db
    .selectFrom('url_keys')
    .innerJoin('urls', 'urls.id', 'url_keys.url_id')
    .select(['urls.id', 'urls.target_url as targetUrl', 'urls.expired_url as expiredUrl'])
    .where('url_keys.domain_key', '=', domain_key)
    .where('url_keys.key', '=', key)
    .executeTakeFirst();
}
