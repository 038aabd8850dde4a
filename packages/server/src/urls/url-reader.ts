import { type Kysely, sql } from 'kysely';
import { batchReads } from '../storage/batch-reads.js';
import type { Database, Schema } from '../storage/database.js';
import { prepare } from '../storage/prepared.js';
import { isBeingErased } from './erased-url.js';
import { findExternalIds } from './find-existing.js';
import type { LoopDetector } from './loop-detector.js';
import { fromRow, type ShortUrl, selectUrls } from './short-url.js';
import { type DomainAndKey, domainKeyOf, mapKeyOf } from './url-keys.js';
import { refusalError } from './url-refusals.js';

export interface FoundUrl {
  readonly url: ShortUrl;
  readonly isSuspended: boolean;
  /** The addresses that its organization excludes, separated by commas. */
  readonly excludeAddresses: string;
  /** The settings of its custom domain; null on the platform's domain. */
  readonly domainSettings: {
    readonly forwarding: { readonly query: boolean; readonly path: boolean };
    readonly ignoresCase: boolean;
  } | null;
}

// Bounds what links whose keys differ in case only make a visit read.
const maxFoldedKeys = 200;

// No link has this id.
export const noUrl = 0;
// The reads of redirects leave connections to writes and to other reads.
const batchLimits = { concurrency: 2, maxKeys: 256 };

/** Reads links, outside transactions. */
export class UrlReader {
  readonly #database: Database;
  readonly #loops: LoopDetector;
  // Prepared, because reports run the first, and redirects of links that are not cached the second.
  readonly #byId;
  readonly #byKey;
  readonly #readByKey: (key: DomainAndKey) => Promise<FoundUrl | undefined>;

  constructor(database: Database, loops: LoopDetector) {
    this.#database = database;
    this.#loops = loops;
    this.#byId = prepare((url: { id: number; organizationId: string }) =>
      selectUrls(database.read)
        .where('urls.id', '=', url.id)
        .where('urls.organization_id', '=', url.organizationId),
    );
    this.#byKey = prepare((wanted: { domainKey: string; key: string }) =>
      selectFound(database.read)
        .where('url_keys.domain_key', '=', wanted.domainKey)
        .where('url_keys.key', '=', wanted.key),
    );
    this.#readByKey =
      database.engine === 'postgres'
        ? batchReads({ readMany: findByKeys(database.read), ...batchLimits })
        : (key) => this.#findOneByKey(key);
  }

  /** Returns the link of an organization with an external id. Throws NOT_FOUND. */
  async getByExternalId(organizationId: string, externalId: string): Promise<ShortUrl> {
    const { read } = this.#database;
    const [found] = await findExternalIds(read, organizationId, [externalId]);
    if (!found) throw refusalError('not-found', { id: externalId });
    return this.get(organizationId, found[1]);
  }

  /** Returns a link of the organization. Throws NOT_FOUND. */
  async get(organizationId: string, id: number): Promise<ShortUrl> {
    const url = await this.#find(this.#database.read, organizationId, id);
    if (!url) throw refusalError('not-found', { id });
    return url;
  }

  /** Returns the links of an organization with these ids, in their order. */
  async findMany(organizationId: string, ids: readonly number[]): Promise<ShortUrl[]> {
    const found = await findUrls(this.#database.read, organizationId, ids);
    const byId = new Map(found.map((url) => [url.id, url]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /**
   * Returns the links of an organization that have a key on a hostname. Without a hostname, those that
   * have it on the platform's domain or on any domain of the organization.
   */
  async findByName(
    organizationId: string,
    { hostname, key }: { readonly hostname: string | undefined; readonly key: string },
  ): Promise<ShortUrl[]> {
    const { read } = this.#database;
    const domainKey =
      hostname === undefined ? undefined : await this.#loops.findDomainKey(read, hostname);
    if (hostname !== undefined && domainKey === undefined) return [];
    const ofAnyDomain = sql<string>`(select ${domainKeyOf(null)}
      union all select id from domains where organization_id = ${organizationId})`;
    // In one statement with the links, SQLite would read all links of the organization.
    const owners = await read
      .selectFrom('url_keys')
      .select('url_id')
      .where('key', '=', key)
      .where('domain_key', 'in', domainKey === undefined ? ofAnyDomain : [domainKey])
      .execute();
    // A link that has moved has its keys on several domains.
    const ids = [...new Set(owners.map(({ url_id }) => url_id))].sort((a, b) => a - b);
    return this.findMany(organizationId, ids);
  }

  /**
   * Returns the link of a key on a domain, and whether its organization is suspended; `domainId` null is
   * the platform's domain.
   */
  findByKey(domainId: string | null, key: string): Promise<FoundUrl | undefined> {
    return this.#readByKey({ domain_key: domainKeyOf(domainId), key });
  }

  /**
   * Returns the key of the only link on a domain that has a key in any case. Returns undefined if no link
   * has it, or several links have it.
   */
  async findFoldedKey(domainId: string | null, key: string): Promise<string | undefined> {
    const rows = await this.#selectKeys(domainId)
      .where(sql`lower(key)`, '=', key.toLowerCase())
      // A link has its short code and its slug.
      .limit(3)
      .execute();
    const [first, ...others] = rows;
    return others.some(({ url_id }) => url_id !== first?.url_id) ? undefined : first?.key;
  }

  /** Returns whether a key on a domain begins with a segment and a slash; `folds`: in any case. */
  async hasKeysBelow(domainId: string | null, segment: string, folds: boolean): Promise<boolean> {
    const start = folds ? segment.toLowerCase() : segment;
    const key = folds ? sql<string>`lower(key)` : sql<string>`key`;
    const row = await this.#selectKeys(domainId)
      .where(key, '>', `${start}/`)
      // The character after the slash.
      .where(key, '<', `${start}0`)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /**
   * Returns those of these keys that links on a domain have. With `folds`, a key that only one link has
   * in any case is the key of that link.
   */
  async findKeys(
    domainId: string | null,
    keys: readonly string[],
    folds: boolean,
  ): Promise<ReadonlyMap<string, string>> {
    if (keys.length === 0) return new Map();
    const exact = await this.#selectKeys(domainId).where('key', 'in', keys).execute();
    const found = new Map(exact.map(({ key }) => [key, key]));
    if (!folds) return found;
    const lower = keys.map((key) => key.toLowerCase());
    const rows = await this.#selectKeys(domainId)
      .where(sql<string>`lower(key)`, 'in', lower)
      .limit(maxFoldedKeys)
      .execute();
    for (const key of keys) {
      const same = rows.filter((row) => row.key.toLowerCase() === key.toLowerCase());
      const [first] = same;
      const isOnly = same.every(({ url_id }) => url_id === first?.url_id);
      if (first && isOnly && !found.has(key)) found.set(key, first.key);
    }
    return found;
  }

  #selectKeys(domainId: string | null) {
    return (
      this.#database.read
        .selectFrom('url_keys')
        .select(['key', 'url_id'])
        // Each of the two indexes of folded keys has a condition, which the query must repeat.
        .where('domain_key', domainId === null ? '=' : '<>', sql.lit(''))
        .where('domain_key', '=', domainKeyOf(domainId))
    );
  }

  async #findOneByKey({ domain_key, key }: DomainAndKey): Promise<FoundUrl | undefined> {
    const { rows } = await this.#database.read.executeQuery(
      this.#byKey({ domainKey: domain_key, key }),
    );
    const [row] = rows;
    return row && toFound(row);
  }

  async #find(
    db: Kysely<Schema>,
    organizationId: string,
    id: number,
  ): Promise<ShortUrl | undefined> {
    const { rows } = await db.executeQuery(this.#byId({ id, organizationId }));
    const [row] = rows;
    return row && !isBeingErased(row) ? fromRow(row) : undefined;
  }
}

/** Returns the links of an organization with these ids, in any order. */
export async function findUrls(
  db: Kysely<Schema>,
  organizationId: string,
  ids: readonly number[],
): Promise<ShortUrl[]> {
  // PostgreSQL has no empty list.
  const rows = await selectUrls(db)
    .where('urls.id', 'in', ids.length === 0 ? [noUrl] : ids)
    .execute();
  // Not in SQL: SQLite would search the index of the organization instead of the ids.
  return rows
    .filter((row) => row.organizationId === organizationId && !isBeingErased(row))
    .map(fromRow);
}

/** Selects links by their keys, with what a redirect needs of their organizations. */
function selectFound(db: Kysely<Schema>) {
  return selectUrls(db)
    .innerJoin('url_keys', 'url_keys.url_id', 'urls.id')
    .innerJoin('organizations', 'organizations.id', 'urls.organization_id')
    .select(['url_keys.domain_key as domain_key', 'url_keys.key as key'])
    .select(['suspended_at as suspendedAt', 'exclude_addresses as excludeAddresses'])
    .select('domains.ignore_case as domainIgnoresCase')
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
        : {
            forwarding: { query: domainForwardsQuery === 1, path: domainForwardsPath === 1 },
            ignoresCase: row.domainIgnoresCase === 1,
          },
  };
}

/** Returns a function that finds the links of several keys by one statement of PostgreSQL. */
function findByKeys(db: Kysely<Schema>) {
  // Two arrays, so that one prepared statement serves any number of keys.
  const query = prepare((wanted: { domainKeys: readonly string[]; keys: readonly string[] }) =>
    selectFound(db).where(
      sql<boolean>`(url_keys.domain_key, url_keys.key) in
        (select * from unnest(${wanted.domainKeys}::text[], ${wanted.keys}::text[]))`,
    ),
  );
  return async (keys: readonly DomainAndKey[]) => {
    const { rows } = await db.executeQuery(
      query({
        domainKeys: keys.map(({ domain_key }) => domain_key),
        keys: keys.map(({ key }) => key),
      }),
    );
    const found = new Map(rows.map((row) => [mapKeyOf(row), row]));
    return keys.map((key) => {
      const row = found.get(mapKeyOf(key));
      return row && toFound(row);
    });
  };
}
