import type { Kysely } from 'kysely';
import type { Schema, WriteTransaction } from '../storage/database.js';
import { prepare } from '../storage/prepared.js';
import type { ShortUrl } from './short-url.js';

type DomainAndKey = Pick<Schema['url_keys'], 'domain_key' | 'key'>;

/** Returns the value that `url_keys.domain_key` has for a domain; null is the platform's domain. */
export function domainKeyOf(domainId: string | null): string {
  return domainId ?? '';
}

/** Returns the rows of a link in `url_keys`: its slug, if it has one, and its short code. */
export function keysOf(
  url: Pick<ShortUrl, 'id' | 'domainId' | 'shortCode' | 'customSlug'>,
): Schema['url_keys'][] {
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

// The number of keys in one query. Shorter lists are padded with '', which is not a key, so that one
// prepared statement serves all lists.
const keysAtOnce = 64;

/**
 * Returns a function that looks up keys. It returns the ids of the links that have them, by `mapKeyOf`,
 * and omits keys that no link has.
 */
export function keyOwnerFinder(db: Kysely<Schema>) {
  const ownersOf = prepare(
    db
      .selectFrom('url_keys')
      .select(['key', 'url_id'])
      .where('domain_key', '=', '')
      .where('key', 'in', Array<string>(keysAtOnce).fill('')),
  );
  return async (transaction: WriteTransaction, keys: readonly DomainAndKey[]) => {
    const owners = new Map<string, number>();
    for (const domain_key of new Set(keys.map((each) => each.domain_key))) {
      const own = keys.filter((each) => each.domain_key === domain_key);
      for (let at = 0; at < own.length; at += keysAtOnce) {
        const batch = Array<string>(keysAtOnce).fill('');
        for (const [index, { key }] of own.slice(at, at + keysAtOnce).entries()) batch[index] = key;
        const { rows } = await transaction.executeQuery(ownersOf(domain_key, ...batch));
        for (const { key, url_id } of rows) owners.set(mapKeyOf({ domain_key, key }), url_id);
      }
    }
    return owners;
  };
}
