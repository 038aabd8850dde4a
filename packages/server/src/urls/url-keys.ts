import type { WriteTransaction } from '../storage/database.js';
import type { UrlKeyTable } from '../storage/schema.js';
import type { ShortUrl } from './short-url.js';

/** A domain as `url_keys` names it. */
export function domainKeyOf(domainId: string | null): string {
  return domainId ?? '';
}

/** What leads to a link on its domain: its slug, if it has one, and its code. */
export function keysOf(url: ShortUrl): UrlKeyTable[] {
  const domain_key = domainKeyOf(url.domainId);
  const code = { domain_key, key: url.shortCode, url_id: url.id };
  return url.customSlug === null
    ? [code]
    : [{ domain_key, key: url.customSlug, url_id: url.id }, code];
}

/** Takes every key of a link, or none of them and false when another link has one. */
export async function takeAllKeys(transaction: WriteTransaction, url: ShortUrl): Promise<boolean> {
  const taken: UrlKeyTable[] = [];
  for (const key of keysOf(url)) {
    if (await takeKey(transaction, key)) taken.push(key);
    else if (!(await ownsKey(transaction, key))) {
      for (const { domain_key, key } of taken) {
        await transaction
          .deleteFrom('url_keys')
          .where('domain_key', '=', domain_key)
          .where('key', '=', key)
          .execute();
      }
      return false;
    }
  }
  return true;
}

/** Takes a key unless it is taken already, and tells whether it did. */
export async function takeKey(transaction: WriteTransaction, key: UrlKeyTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('url_keys')
    .values(key)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export async function ownsKey(
  transaction: WriteTransaction,
  { domain_key, key, url_id }: UrlKeyTable,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('url_keys')
    .select('url_id')
    .where('domain_key', '=', domain_key)
    .where('key', '=', key)
    .executeTakeFirst();
  return row?.url_id === url_id;
}
