import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { invalidField, shorten } from '../contract/api-error.js';
import type { LinkOwner } from '../contract/caller.js';
import { hostnameOf } from '../domains/hostname.js';
import { decodeUnreserved } from '../http/request-target.js';
import { parseUrl } from '../network/parse-url.js';
import type { Schema, WriteTransaction } from '../storage/database.js';
import { foldKey } from '../storage/fold-keys.js';
import { isAmong } from '../storage/statements.js';

import type { ShortUrl } from './short-url.js';

export const maxCodeLength = 100;

const segment = /^[A-Za-z0-9._~-]+$/;

/** Returns whether a path segment may be one of a short code that another system made. */
export function isCodeSegment(text: string): boolean {
  return segment.test(text) && text !== '.' && text !== '..';
}

/** Returns whether a text may be a short code that another system made. All other keys may be, too. */
export function isLinkCode(text: string): boolean {
  return text.length <= maxCodeLength && text.split('/').every(isCodeSegment);
}

/** Returns the keys of several segments that a path may begin with, the longest first. */
export function longerKeysOf(path: string) {
  const keys: { readonly key: string; readonly rest: string }[] = [];
  let key = '';
  let end = 0;
  // A stranger may send any number of segments, so it stops at the longest key.
  while (end < path.length) {
    const next = path.indexOf('/', end + 1);
    const start = end + 1;
    end = next < 0 ? path.length : next;
    const segment = decodeUnreserved(path.slice(start, end));
    key += key === '' ? segment : `/${segment}`;
    if (!isCodeSegment(segment) || key.length > maxCodeLength) break;
    const rest = path.slice(end);
    if (start > 1) keys.unshift({ key, rest: rest === '/' ? '' : rest });
  }
  return keys;
}

export type DomainAndKey = Pick<Schema['url_keys'], 'domain_key' | 'key'> &
  Partial<Pick<Schema['url_keys'], 'folded_key'>>;

/** Returns the value that `url_keys.domain_key` has for a domain; null is the platform's domain. */
export function domainKeyOf(domainId: string | null): string {
  return domainId ?? '';
}

/** Returns a key as `url_keys` has it. `folds` is true on a domain that ignores case. */
export function keyOn(domainId: string | null, key: string, folds: boolean) {
  return { domain_key: domainKeyOf(domainId), key, folded_key: folds ? foldKey(key) : null };
}

/** Returns the rows of a link in `url_keys`: its slug, if it has one, and its short code. */
export function keysOf(
  url: Pick<ShortUrl, 'id' | 'domainId' | 'shortCode' | 'customSlug'>,
  folds: boolean,
): Schema['url_keys'][] {
  const { id: url_id, shortCode, customSlug } = url;
  const rowOf = (key: string) => ({ ...keyOn(url.domainId, key, folds), url_id });
  const code = rowOf(shortCode);
  if (customSlug === null) return [code];
  const slug = rowOf(customSlug);
  // Only one row may have a folded key.
  return [slug, slug.folded_key === code.folded_key ? { ...code, folded_key: null } : code];
}

/** Returns a string that identifies a key on a domain, for use as the key of a map. */
export function mapKeyOf({ domain_key, key, folded_key }: DomainAndKey): string {
  return `${domain_key}/${folded_key ?? key}`;
}

/** Returns the ids of the links that have these keys, by `mapKeyOf`. Omits keys that no link has. */
export async function findKeyOwners(
  db: Kysely<Schema>,
  keys: readonly DomainAndKey[],
): Promise<Map<string, number>> {
  const owners = new Map<string, number>();
  for (const column of ['key', 'folded_key'] as const) {
    const wanted = keys.filter(({ folded_key }) => (folded_key == null) === (column === 'key'));
    for (const domain_key of new Set(wanted.map((each) => each.domain_key))) {
      const own = wanted.flatMap((each) =>
        each.domain_key === domain_key ? (each[column] as string) : [],
      );
      const rows = await db
        .selectFrom('url_keys')
        .select([column, 'url_id'])
        .where('domain_key', '=', domain_key)
        .where(column, 'in', own)
        .execute();
      for (const row of rows) owners.set(`${domain_key}/${row[column]}`, row.url_id);
    }
  }
  return owners;
}

/**
 * Reads those of these domains on which links of an owner can be. Null is the platform's domain, of which
 * `ignoreCase` is the setting.
 */
export async function findLinkDomains(
  db: Kysely<Schema>,
  { organizationId, restriction }: LinkOwner,
  ids: readonly (string | null)[],
  ignoreCase: boolean,
) {
  const only = restriction?.domainId ?? null;
  const wanted = [...new Set(ids)].filter((id) => id !== null && (only === null || id === only));
  const rows =
    wanted.length === 0
      ? []
      : await db
          .selectFrom('domains')
          .select(['id', 'hostname', 'ignore_case'])
          .where('organization_id', '=', organizationId)
          .where('is_active', '=', 1)
          .where('id', 'in', wanted)
          .execute();
  const domains = new Map(rows.map((row) => [row.id, row]));
  return {
    has: (id: string | null) => (id === null ? only === null : domains.has(id)),
    hostnameOf: (id: string | null) => domains.get(id ?? '')?.hostname ?? null,
    /** Returns whether the keys of a domain are found in any case. */
    folds: (id: string | null) => (id === null ? ignoreCase : domains.get(id)?.ignore_case === 1),
  };
}

/** Returns those of the keys that a link has or that are retired, by `mapKeyOf`. */
export async function findTakenKeys(
  db: Kysely<Schema>,
  keys: readonly DomainAndKey[],
): Promise<Set<string>> {
  const owners = await findKeyOwners(db, keys);
  const retired = await findRetiredKeys(db, keys);
  return new Set([...owners.keys(), ...retired.map(mapKeyOf)]);
}

/** Returns the ids of an organization's links by their external ids. Omits those that no link has. */
export async function findExternalIds(
  db: Kysely<Schema>,
  organizationId: string,
  externalIds: readonly (string | null)[],
): Promise<Map<string, number>> {
  const wanted = externalIds.filter((externalId) => externalId !== null);
  if (wanted.length === 0) return new Map();
  const rows = await db
    .selectFrom('urls')
    .select(['id', 'external_id'])
    .where('organization_id', '=', organizationId)
    .where('external_id', 'in', wanted)
    .execute();
  return new Map(rows.map(({ id, external_id }) => [external_id as string, id]));
}

/** A short URL. Without a hostname, it is a slug or code alone. */
export interface ShortUrlName {
  readonly hostname: string | undefined;
  readonly key: string;
}

/** Returns what a short URL may mean, the likeliest first. It may lack the scheme. Throws VALIDATION_FAILED. */
export function parseShortUrl(text: string): readonly ShortUrlName[] {
  const hasScheme = text.includes('://');
  const alone = isLinkCode(text) ? [{ hostname: undefined, key: text }] : [];
  const url = hasScheme ? text : `https://${text}`;
  const onHost = text.includes('/') && /^https?:/i.test(url) ? nameOf(url) : [];
  const names = [...onHost, ...(hasScheme ? [] : alone)];
  if (names.length > 0) return names;
  const rule =
    'must be a short URL, such as https://sho.example/sale, or a custom slug or short code alone';
  throw invalidField('shortUrl', `${JSON.stringify(shorten(text))} ${rule}`);
}

function nameOf(href: string): ShortUrlName[] {
  const url = parseUrl(href);
  const key = decodeUnreserved(url?.pathname ?? '').replace(/^\/|\/$/g, '');
  return url && isLinkCode(key) ? [{ hostname: hostnameOf(url.host), key }] : [];
}

/**
 * Returns the hash of a short code or slug on its domain. It has 53 bits, so that it is an integer in
 * JavaScript, too: of a million retired keys, one in ten billion new keys meets one by chance.
 */
export function hashOfKey({ domain_key, key }: DomainAndKey): number {
  const isPlatform = domain_key === domainKeyOf(null);
  // No key begins with a slash, so it tells a key with one from a key of a custom domain.
  const text = isPlatform && !key.includes('/') ? key : `${domain_key}/${key}`;
  return Number(hash('sha256', text, 'buffer').readBigUInt64BE() >> 11n);
}

/** Returns the hashes of a key: as it is, and folded. */
function hashesOf({ domain_key, key }: DomainAndKey): [exact: number, folded: number] {
  // The slash tells the folded form from a key.
  return [hashOfKey({ domain_key, key }), hashOfKey({ domain_key, key: `/${foldKey(key)}` })];
}

/**
 * Returns those of these keys that erased links, or links of deleted organizations, had; with `importedId`,
 * only those of others than this organization.
 */
export async function findRetiredKeys<Key extends DomainAndKey>(
  db: Kysely<Schema>,
  keys: readonly Key[],
  importedId = '',
): Promise<Key[]> {
  if (keys.length === 0) return [];
  // A domain that does not ignore case may begin to, so both hashes are stored.
  const hashes = keys.map((key) => hashesOf(key).slice(0, key.folded_key == null ? 1 : 2));
  const rows = await db
    .selectFrom('retired_keys')
    .select('key_hash')
    .where(isAmong(db, sql.ref('key_hash'), hashes.flat()))
    .where('organization_id', '<>', importedId)
    .execute();
  const retired = new Set(rows.map(({ key_hash }) => key_hash));
  return keys.filter((_, at) => hashes[at]?.some((each) => retired.has(each)));
}

/**
 * Retires keys, so that no other link gets one of them. `urlId` is the link if it is being erased: the key
 * may be retired already, by an organization that had it on another server.
 */
export async function retireKeys(
  transaction: WriteTransaction,
  organizationId: string,
  keys: readonly DomainAndKey[],
  urlId: number | null = null,
): Promise<void> {
  if (keys.length === 0) return;
  await transaction
    .insertInto('retired_keys')
    .values(
      [...new Set(keys.flatMap(hashesOf))].map((key_hash) => ({
        key_hash,
        organization_id: organizationId,
        url_id: urlId,
      })),
    )
    .onConflict((conflict) =>
      urlId === null
        ? conflict.doNothing()
        : conflict
            .column('key_hash')
            .doUpdateSet({ organization_id: organizationId, url_id: urlId }),
    )
    .execute();
}
