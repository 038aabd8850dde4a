import { type Kysely, sql } from 'kysely';
import type { LinkOwner } from '../contract/caller.js';
import { findDomainsOf } from '../domains/domain-repository.js';
import type { IsOwnHost } from '../domains/hostname.js';
import type { Database, Schema } from '../storage/database.js';
import { foldKey } from '../storage/fold-keys.js';
import { isOwnLink } from '../storage/link-restriction.js';
import { rowReader } from '../storage/prepared.js';
import { domainInvalid, urlNotFound } from './link-outcomes.js';
import { fromRow, type ShortUrl, selectUrls } from './short-url.js';
import {
  domainKeyOf,
  findExternalIds,
  findLinkDomains,
  findTakenKeys,
  keyOn,
  type ShortUrlName,
} from './url-keys.js';

export interface FoundUrl {
  readonly url: ShortUrl;
  readonly isSuspended: boolean;
  /** The addresses that its organization excludes, separated by commas. */
  readonly excludeAddresses: string;
  /** The settings of its custom domain; null on the platform's domain. */
  readonly domainSettings: {
    readonly forwarding: { readonly query: boolean; readonly path: boolean };
  } | null;
}

// No link has this id.
export const noUrl = 0;

export interface UrlReaderOptions {
  readonly isOwnHost: IsOwnHost;
  /** Whether links of the platform's domain are found in any case. */
  readonly ignoreCase: boolean;
}

export class UrlReader {
  readonly #database: Database;
  readonly #isOwnHost: IsOwnHost;
  readonly #ignoreCase: boolean;
  readonly #readByKey;
  readonly #readByFoldedKey;

  constructor(database: Database, { isOwnHost, ignoreCase }: UrlReaderOptions) {
    this.#database = database;
    this.#isOwnHost = isOwnHost;
    this.#ignoreCase = ignoreCase;
    const found = selectFound(database.read);
    this.#readByKey = rowReader(database.read, found, ['domain_key', 'key']);
    const folded = found.where('folded_key', 'is not', null);
    this.#readByFoldedKey = rowReader(database.read, folded, ['domain_key', 'folded_key']);
  }

  /** Returns the link of an owner with an external id. Throws NOT_FOUND. */
  async getByExternalId(owner: LinkOwner, externalId: string): Promise<ShortUrl> {
    const { read } = this.#database;
    const ids = await findExternalIds(read, owner.organizationId, [externalId]);
    const [url] = await this.findMany(owner, [...ids.values()]);
    if (!url) throw urlNotFound(externalId);
    return url;
  }

  /** Returns a link of an owner. Throws NOT_FOUND. */
  async get(owner: LinkOwner, id: number): Promise<ShortUrl> {
    const [url] = await this.findMany(owner, [id]);
    if (!url) throw urlNotFound(id);
    return url;
  }

  /** Returns the links of an owner with these ids, in their order. */
  async findMany(owner: LinkOwner, ids: readonly number[]): Promise<ShortUrl[]> {
    const found = await findUrls(this.#database.read, owner, ids);
    const byId = new Map(found.map((url) => [url.id, url]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Returns the link that visitors of a short URL reach. Without a hostname, it is on the platform's domain. */
  async findByUrl({ hostname, key }: ShortUrlName): Promise<ShortUrl | undefined> {
    if (hostname === undefined || this.#isOwnHost(hostname)) {
      return (await this.findByKey(null, key, this.#ignoreCase))?.url;
    }
    const domain = (await findDomainsOf(this.#database.read, [hostname])).get(hostname);
    return domain && (await this.findByKey(domain.id, key, domain.ignore_case === 1))?.url;
  }

  /**
   * Returns the links of an owner that have a key on a hostname. Without a hostname, those that have it on
   * the platform's domain or on any domain of the organization.
   */
  async findByName(owner: LinkOwner, name: ShortUrlName): Promise<ShortUrl[]> {
    if (name.hostname !== undefined) {
      const url = await this.findByUrl(name);
      return url ? this.findMany(owner, [url.id]) : [];
    }
    const ofAnyDomain = sql<string>`(select ${domainKeyOf(null)}
      union all select id from domains where organization_id = ${owner.organizationId})`;
    // In one statement with the links, SQLite would read all links of the organization.
    const owners = await this.#database.read
      .selectFrom('url_keys')
      .select('url_id')
      .where('key', '=', name.key)
      .where('domain_key', 'in', ofAnyDomain)
      .execute();
    // A link that has moved has its keys on several domains.
    const ids = [...new Set(owners.map(({ url_id }) => url_id))].sort((a, b) => a - b);
    return this.findMany(owner, ids);
  }

  /**
   * Returns the link of a key on a domain, and whether its organization is suspended; `domainId` null is
   * the platform's domain. With `folds`, the key may be in any case.
   */
  async findByKey(
    domainId: string | null,
    key: string,
    folds = false,
  ): Promise<FoundUrl | undefined> {
    const domainKey = domainKeyOf(domainId);
    const row = await (folds
      ? this.#readByFoldedKey(domainKey, foldKey(key))
      : this.#readByKey(domainKey, key));
    return row && toFound(row);
  }

  /** Returns whether a key on a domain begins with a segment and a slash. */
  async hasKeysBelow(domainId: string | null, segment: string, folds: boolean): Promise<boolean> {
    const start = folds ? foldKey(segment) : segment;
    const column = folds ? 'folded_key' : 'key';
    const row = await this.#database.read
      .selectFrom('url_keys')
      .select('url_id')
      .where('domain_key', '=', domainKeyOf(domainId))
      .where(column, '>', `${start}/`)
      // The character after the slash.
      .where(column, '<', `${start}0`)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Returns whether a slug is free on a domain. Throws DOMAIN_INVALID if the owner has no such active domain. */
  async isSlugFree(owner: LinkOwner, slug: string, domainId: string | null): Promise<boolean> {
    const { read } = this.#database;
    const domains = await findLinkDomains(read, owner, [domainId], this.#ignoreCase);
    if (!domains.has(domainId)) throw domainInvalid(domainId);
    const taken = await findTakenKeys(read, [keyOn(domainId, slug, domains.folds(domainId))]);
    return taken.size === 0;
  }
}

export async function findUrls(
  db: Kysely<Schema>,
  owner: LinkOwner,
  ids: readonly number[],
): Promise<ShortUrl[]> {
  // PostgreSQL has no empty list.
  const rows = await selectUrls(db)
    .where('urls.id', 'in', ids.length === 0 ? [noUrl] : ids)
    .execute();
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

type FoundRow = Awaited<ReturnType<ReturnType<typeof selectFound>['execute']>>[number];

function toFound(row: FoundRow): FoundUrl {
  const { suspendedAt, excludeAddresses, domainForwardsQuery, domainForwardsPath } = row;
  return {
    url: fromRow(row),
    isSuspended: suspendedAt !== null,
    excludeAddresses,
    domainSettings:
      row.domainId === null
        ? null
        : { forwarding: { query: domainForwardsQuery === 1, path: domainForwardsPath === 1 } },
  };
}
