import { type Kysely, sql } from 'kysely';
import { domainInvalid } from '../contract/api-error.js';
import type { LinkOwner } from '../contract/caller.js';
import type { FindByHostname } from '../domains/domain-repository.js';
import type { IsOwnHost } from '../domains/hostname.js';
import type { Database, Schema } from '../storage/database.js';
import { foldKey } from '../storage/fold-keys.js';
import { isOwnLink } from '../storage/link-restriction.js';
import { rowReader } from '../storage/prepared.js';
import { urlNotFound } from './link-outcomes.js';
import { fromRow, type ShortUrl, selectUrls } from './short-url.js';
import {
  domainKeyOf,
  findExternalIds,
  findKeyOwners,
  findLinkDomains,
  findTakenKeys,
  keyOn,
  longerKeysOf,
  mapKeyOf,
  type ShortUrlName,
} from './url-keys.js';

export interface UrlReaderOptions {
  readonly findByHostname: FindByHostname;
  readonly isOwnHost: IsOwnHost;
  /** Whether links of the platform's domain are found in any case. */
  readonly ignoreCase: boolean;
}

export type UrlReader = ReturnType<typeof createUrlReader>;

export type FoundUrl = NonNullable<Awaited<ReturnType<UrlReader['findByKey']>>>;

export function createUrlReader(
  { read }: Pick<Database, 'read'>,
  { findByHostname, isOwnHost, ignoreCase }: UrlReaderOptions,
) {
  const found = selectFound(read);
  const readByKey = rowReader(read, found, ['domain_key', 'key']);
  const folded = found.where('folded_key', 'is not', null);
  const readByFoldedKey = rowReader(read, folded, ['domain_key', 'folded_key']);

  /** Returns the links of an owner with these ids, in their order. */
  async function findMany(owner: LinkOwner, ids: readonly number[]): Promise<ShortUrl[]> {
    const byId = new Map((await findUrls(read, owner, ids)).map((url) => [url.id, url]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Returns the link that visitors of a short URL reach. Without a hostname, it is on the platform's domain. */
  async function findByUrl({ hostname, key }: ShortUrlName): Promise<ShortUrl | undefined> {
    if (hostname === undefined || isOwnHost(hostname)) {
      return (await findByKey(null, key, ignoreCase))?.url;
    }
    const domain = await findByHostname(hostname);
    return domain && (await findByKey(domain.id, key, domain.settings.ignoreCase))?.url;
  }

  /**
   * Returns the link of a key on a domain, with what a redirect needs of its organization and domain;
   * `domainId` null is the platform's domain. With `folds`, the key may be in any case.
   */
  async function findByKey(domainId: string | null, key: string, folds = false) {
    const domainKey = domainKeyOf(domainId);
    const row = await (folds
      ? readByFoldedKey(domainKey, foldKey(key))
      : readByKey(domainKey, key));
    if (!row) return undefined;
    return {
      url: fromRow(row),
      isSuspended: row.suspendedAt !== null,
      /** The addresses that its organization excludes, separated by commas. */
      excludeAddresses: row.excludeAddresses,
      /** What links of its custom domain forward; undefined on the platform's domain. */
      forwarding:
        row.domainId === null
          ? undefined
          : { query: row.domainForwardsQuery === 1, path: row.domainForwardsPath === 1 },
    };
  }

  return {
    findMany,
    findByUrl,
    findByKey,

    /** Returns the link of an owner with an external id. Throws NOT_FOUND. */
    async getByExternalId(owner: LinkOwner, externalId: string): Promise<ShortUrl> {
      const ids = await findExternalIds(read, owner.organizationId, [externalId]);
      const [url] = await findMany(owner, [...ids.values()]);
      if (!url) throw urlNotFound(externalId);
      return url;
    },

    /** Returns a link of an owner. Throws NOT_FOUND. */
    async get(owner: LinkOwner, id: number): Promise<ShortUrl> {
      const [url] = await findMany(owner, [id]);
      if (!url) throw urlNotFound(id);
      return url;
    },

    /**
     * Returns the links of an owner that have a key on a hostname. Without a hostname, those that have it on
     * the platform's domain or on any domain of the organization.
     */
    async findByName(owner: LinkOwner, name: ShortUrlName): Promise<ShortUrl[]> {
      if (name.hostname !== undefined) {
        const url = await findByUrl(name);
        return url ? findMany(owner, [url.id]) : [];
      }
      const ofAnyDomain = sql<string>`(select ${domainKeyOf(null)}
        union all select id from domains where organization_id = ${owner.organizationId})`;
      // In one statement with the links, SQLite would read all links of the organization.
      const owners = await read
        .selectFrom('url_keys')
        .select('url_id')
        .where('key', '=', name.key)
        .where('domain_key', 'in', ofAnyDomain)
        .execute();
      // A link that has moved has its keys on several domains.
      const ids = [...new Set(owners.map(({ url_id }) => url_id))].sort((a, b) => a - b);
      return findMany(owner, ids);
    },

    /** Returns the keys with slashes that links on a domain have and that a path begins with, the longest first. */
    async findLongerKeys(domainId: string | null, path: string, folds: boolean) {
      const longer = longerKeysOf(path);
      const keys = longer.map(({ key }) => keyOn(domainId, key, folds));
      const owners = await findKeyOwners(read, keys);
      return longer.filter((_, at) => owners.has(mapKeyOf(keys[at] as (typeof keys)[number])));
    },

    /** Returns whether a slug is free on a domain. Throws DOMAIN_INVALID if the owner has no such active domain. */
    async isSlugFree(owner: LinkOwner, slug: string, domainId: string | null): Promise<boolean> {
      const domains = await findLinkDomains(read, owner, [domainId], ignoreCase);
      if (!domains.has(domainId)) throw domainInvalid(domainId);
      const taken = await findTakenKeys(read, [keyOn(domainId, slug, domains.folds(domainId))]);
      return taken.size === 0;
    },
  };
}

export async function findUrls(
  db: Kysely<Schema>,
  owner: LinkOwner,
  ids: readonly number[],
): Promise<ShortUrl[]> {
  // PostgreSQL has no empty list.
  const rows = ids.length === 0 ? [] : await selectUrls(db).where('urls.id', 'in', ids).execute();
  // Not in SQL: SQLite would search the index of the organization instead of the ids.
  return rows.filter((row) => isOwnLink(owner, row) && row.erasedAt === null).map(fromRow);
}

/** Selects links by their keys, with what a redirect needs of their organizations. */
function selectFound(db: Kysely<Schema>) {
  return selectUrls(db)
    .innerJoin('url_keys', 'url_keys.url_id', 'urls.id')
    .innerJoin('organizations', 'organizations.id', 'urls.organization_id')
    .select(['url_keys.domain_key', 'url_keys.key', 'url_keys.folded_key'])
    .select(['suspended_at as suspendedAt', 'exclude_addresses as excludeAddresses'])
    .select('domains.forward_query as domainForwardsQuery')
    .select('domains.forward_path as domainForwardsPath');
}
