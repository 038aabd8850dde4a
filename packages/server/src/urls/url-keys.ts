import type { Schema, WriteTransaction } from '../storage/database.js';
import type { ShortUrl } from './short-url.js';

/** Matches the short codes that this server makes, and custom slugs. */
export const linkKey = /^[A-Za-z0-9](?:[A-Za-z0-9-]{1,48})[A-Za-z0-9]$/;

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

export type DomainAndKey = Pick<Schema['url_keys'], 'domain_key' | 'key'>;

/** Returns the value that `url_keys.domain_key` has for a domain; null is the platform's domain. */
export function domainKeyOf(domainId: string | null): string {
  return domainId ?? '';
}

/** Returns the rows of a link in `url_keys`: its slug, if it has one, and its short code. */
export function keysOf(
  url: Pick<ShortUrl, 'id' | 'domainId' | 'shortCode' | 'customSlug'>,
): Schema['url_keys'][] {
  const code = { domain_key: domainKeyOf(url.domainId), key: url.shortCode, url_id: url.id };
  return [...slugsOf(url), code];
}

/** Returns the row of a link's slug in `url_keys`, if it has a slug. */
export function slugsOf({
  id: url_id,
  domainId,
  customSlug,
}: Pick<ShortUrl, 'id' | 'domainId' | 'customSlug'>): Schema['url_keys'][] {
  return customSlug === null
    ? []
    : [{ domain_key: domainKeyOf(domainId), key: customSlug, url_id }];
}

/** Returns a string that identifies a key on a domain, for use as the key of a map. */
export function mapKeyOf({ domain_key, key }: DomainAndKey): string {
  return `${domain_key}/${key}`;
}

/** Returns the ids of the links that have these keys, by `mapKeyOf`. Omits keys that no link has. */
export async function findKeyOwners(
  transaction: WriteTransaction,
  keys: readonly DomainAndKey[],
): Promise<Map<string, number>> {
  const owners = new Map<string, number>();
  for (const domain_key of new Set(keys.map((each) => each.domain_key))) {
    const own = keys.filter((each) => each.domain_key === domain_key);
    const rows = await transaction
      .selectFrom('url_keys')
      .select(['key', 'url_id'])
      .where('domain_key', '=', domain_key)
      .where(
        'key',
        'in',
        own.map(({ key }) => key),
      )
      .execute();
    for (const { key, url_id } of rows) owners.set(mapKeyOf({ domain_key, key }), url_id);
  }
  return owners;
}

/** Returns the hostnames of active domains of an organization, by id. */
export async function findActiveDomains(
  transaction: WriteTransaction,
  organizationId: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  const rows = await transaction
    .selectFrom('domains')
    .select(['id', 'hostname'])
    .where('organization_id', '=', organizationId)
    .where('is_active', '=', 1)
    .where('id', 'in', wanted)
    .execute();
  return new Map(rows.map((row) => [row.id, row.hostname]));
}
