import type { Kysely } from 'kysely';
import { shorten } from '../contract/api-error.js';
import { findDomainsOf } from '../domains/domain-repository.js';
import { hostnameOf } from '../domains/hostname.js';
import type { IsOwnHost } from '../domains/own-hosts.js';
import { parseUrl } from '../network/parse-url.js';
import type { Schema } from '../storage/schema.js';
import { forgiveKey } from './forgive-key.js';
import { targetsOf } from './link-rules.js';
import { parseRules, type ShortUrl } from './short-url.js';
import { domainKeyOf, isLinkCode, linkKey, mapKeyOf } from './url-keys.js';

/** How many links of this server a visitor may be redirected through. */
export const maxHops = 10;

/** How many links of this server the targets of one link may lead through in all. */
export const maxLinkedUrls = 400;

/** The fields of a link that the detection of loops reads. */
export type LoopCheckedUrl = LinkedUrl & Pick<ShortUrl, 'domainId' | 'shortCode' | 'customSlug'>;

interface LinkName {
  /** As `hostnameOf` returns it. */
  readonly hostname: string;
  readonly key: string;
}

/**
 * Returns the names of the links that a target may lead to: its whole path, and then the path without
 * the punctuation after it. The first that a link has is right.
 */
export function linkNamesOf(targetUrl: string): readonly LinkName[] {
  const parsed = parseLinkPath(targetUrl);
  if (!parsed) return [];
  const { hostname, path } = parsed;
  return keysOfPath(path).map((key) => ({ hostname, key }));
}

/** Returns the keys that a whole path may be, the likeliest first. */
export function keysOfPath(path: string): readonly string[] {
  const key = path.replace(/^\/+/, '').replace(/\/$/, '');
  const start = key.lastIndexOf('/') + 1;
  const forgiven = linkKey.test(key) ? undefined : forgiveKey(key.slice(start));
  const keys = forgiven === undefined ? [key] : [key, key.slice(0, start) + forgiven];
  return keys.filter(isLinkCode);
}

/** Returns the hostname of a URL, and its path. */
export function parseLinkPath(href: string) {
  const url = parseUrl(href);
  if (!url) return undefined;
  let path = decodePath(url.pathname).replace(/^\/+/, '/');
  while (path.endsWith('//')) path = path.slice(0, -1);
  return { hostname: hostnameOf(url.host), path };
}

/**
 * Returns the names that a short URL may mean, the likeliest first. It may lack the scheme. A key alone
 * has no hostname.
 */
export function parseShortUrl(
  text: string,
): readonly { readonly hostname: string | undefined; readonly key: string }[] {
  if (text.includes('://')) return /^https?:/i.test(text) ? linkNamesOf(text) : [];
  const alone = isLinkCode(text) ? [{ hostname: undefined, key: text }] : [];
  return text.includes('/') ? [...linkNamesOf(`https://${text}`), ...alone] : alone;
}

/** Returns the rule of `parseShortUrl` for a text that is no short URL. */
export function notShortUrlMessage(text: string): string {
  return `${JSON.stringify(shorten(text))} must be a short URL, such as https://sho.example/sale, or a custom slug or short code alone`;
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
      const named = namedTargetsOf(url).map(({ hostname }) => hostname);
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
   * Returns the path of the target of a link, also of its rules, that leads back to the link or through
   * too many links; undefined if none does. Each of these may lead to any of its targets or, once it has
   * expired, to its `expiredUrl`. `findPending` finds links that the transaction has not inserted yet, by
   * `mapKeyOf`.
   */
  async findLoop(
    db: Kysely<Schema>,
    start: LoopCheckedUrl,
    findPending: (mapKey: string) => LoopCheckedUrl | undefined = () => undefined,
  ): Promise<string | undefined> {
    // The next links, each with the target of the first link that leads to it.
    let names = namedTargetsOf(start);
    let found = 0;
    for (let hops = 0; names.length > 0; hops += 1) {
      const next = new Map<string, NamedTarget>();
      for (const { path, hostname, key } of names) {
        const domain_key = await this.findDomainKey(db, hostname);
        if (domain_key === undefined) continue;
        const isStart =
          domain_key === domainKeyOf(start.domainId) &&
          (key === start.shortCode || key === start.customSlug);
        if (isStart) return path;
        found += 1;
        const url =
          findPending(mapKeyOf({ domain_key, key })) ?? (await findLinked(db, { domain_key, key }));
        if (!url) continue;
        // A link also has the keys of the domains that it was on before.
        if (url.id === start.id || hops === maxHops || found > maxLinkedUrls) return path;
        for (const each of namedTargetsOf(url)) {
          next.set(`${each.hostname}/${each.key}`, { ...each, path });
        }
      }
      names = [...next.values()];
    }
    return undefined;
  }

  /** Returns the `domain_key` of the links on a hostname; undefined when no links are served there. */
  async findDomainKey(db: Kysely<Schema>, hostname: string): Promise<string | undefined> {
    if (this.#isOwnHost(hostname)) return domainKeyOf(null);
    return (await findDomainsOf(db, [hostname])).get(hostname)?.id;
  }
}

/** A link that others lead to. */
type LinkedUrl = Pick<ShortUrl, 'id' | 'targetUrl' | 'expiredUrl' | 'rules'>;

interface NamedTarget extends LinkName {
  /** The path of the target in the record of its link. */
  readonly path: string;
}

/** Returns the targets of a link that may be short links. */
function namedTargetsOf(url: LinkedUrl): NamedTarget[] {
  return targetsOf(url).flatMap(({ path, targetUrl }) =>
    linkNamesOf(targetUrl).map((name) => ({ ...name, path })),
  );
}

async function findLinked(
  db: Kysely<Schema>,
  { domain_key, key }: { readonly domain_key: string; readonly key: string },
): Promise<LinkedUrl | undefined> {
  const row = await db
    .selectFrom('url_keys')
    .innerJoin('urls', 'urls.id', 'url_keys.url_id')
    .select(['urls.id', 'urls.target_url as targetUrl', 'expired_url as expiredUrl', 'rules'])
    .where('url_keys.domain_key', '=', domain_key)
    .where('url_keys.key', '=', key)
    .executeTakeFirst();
  return row && { ...row, rules: parseRules(row.rules) };
}
