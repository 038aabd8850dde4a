import type { WriteTransaction } from '../storage/database.js';
import type { UrlKeyTable } from '../storage/schema.js';
import type { ShortUrl } from './short-url.js';

type DomainAndKey = Pick<UrlKeyTable, 'domain_key' | 'key'>;

/** Returns the value that `url_keys.domain_key` has for a domain; null is the platform's domain. */
export function domainKeyOf(domainId: string | null): string {
  return domainId ?? '';
}

/** Returns the rows of a link in `url_keys`: its slug, if it has one, and its short code. */
export function keysOf(
  url: Pick<ShortUrl, 'id' | 'domainId' | 'shortCode' | 'customSlug'>,
): UrlKeyTable[] {
  const domain_key = domainKeyOf(url.domainId);
  const code = { domain_key, key: url.shortCode, url_id: url.id };
  return url.customSlug === null
    ? [code]
    : [{ domain_key, key: url.customSlug, url_id: url.id }, code];
}

/** Returns a string that identifies a key on a domain, for use as the key of a map. */
export function mapKeyOf({ domain_key, key }: DomainAndKey): string {
  return `${domain_key}/${key}`;
}

/** Returns the ids of the links that have these keys, by `mapKeyOf`. Leaves out free keys. */
export async function findKeyOwners(
  transaction: WriteTransaction,
  keys: readonly DomainAndKey[],
): Promise<Map<string, number>> {
  const keysOfDomain = new Map<string, string[]>();
  for (const { domain_key, key } of keys) {
    const others = keysOfDomain.get(domain_key);
    if (others) others.push(key);
    else keysOfDomain.set(domain_key, [key]);
  }
  const owners = new Map<string, number>();
  for (const [domain_key, ownKeys] of keysOfDomain) {
    const rows = await transaction
      .selectFrom('url_keys')
      .select(['key', 'url_id'])
      .where('domain_key', '=', domain_key)
      .where('key', 'in', ownKeys)
      .execute();
    for (const { key, url_id } of rows) owners.set(mapKeyOf({ domain_key, key }), url_id);
  }
  return owners;
}
