import type { Kysely } from 'kysely';
import type { LinkOwner } from '../contract/caller.js';
import { findDomainsOf } from '../domains/domain-repository.js';
import type { IsOwnHost } from '../domains/own-hosts.js';
import type { Schema } from '../storage/database.js';
import { foldKey } from '../storage/fold-keys.js';
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

/** Returns whether keys of a domain are found in any case. `ignoreCase` is the setting of the platform's domain. */
export function foldsKeys(
  domains: ReadonlyMap<string, ActiveDomain>,
  domainId: string | null,
  ignoreCase: boolean,
): boolean {
  return domainId === null ? ignoreCase : domains.get(domainId)?.ignoresCase === true;
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

/** Returns the `domain_key` of the links on a hostname; undefined when no links are served there. */
export async function findDomainKey(
  db: Kysely<Schema>,
  isOwnHost: IsOwnHost,
  hostname: string,
): Promise<string | undefined> {
  if (isOwnHost(hostname)) return domainKeyOf(null);
  return (await findDomainsOf(db, [hostname])).get(hostname)?.id;
}

interface ActiveDomain {
  readonly hostname: string;
  readonly ignoresCase: boolean;
}

/** Returns those of these domains on which links of an owner can be. */
export async function findActiveDomains(
  db: Kysely<Schema>,
  { organizationId, restriction }: LinkOwner,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, ActiveDomain>> {
  const only = restriction?.domainId ?? null;
  const wanted = [...new Set(ids)].filter((id) => id !== null && (only === null || id === only));
  if (wanted.length === 0) return new Map();
  const rows = await db
    .selectFrom('domains')
    .select(['id', 'hostname', 'ignore_case'])
    .where('organization_id', '=', organizationId)
    .where('is_active', '=', 1)
    .where('id', 'in', wanted)
    .execute();
  return new Map(
    rows.map(({ id, hostname, ignore_case }) => [id, { hostname, ignoresCase: ignore_case === 1 }]),
  );
}

/** Returns whether links of an owner can be on a domain: the platform's, or one of these. */
export function hasDomain(
  { restriction }: LinkOwner,
  domains: ReadonlyMap<string, ActiveDomain>,
  domainId: string | null,
): boolean {
  return domainId === null ? restriction?.domainId == null : domains.has(domainId);
}
