import { sql } from 'kysely';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { readInBatches } from './batches.js';
import type { WriteTransaction } from './database.js';
import type { Schema } from './schema.js';
import { updateWhere } from './statements.js';

const maxNamed = 5;

/** Returns the form of a key on a domain that ignores case. */
export function foldKey(key: string): string {
  return key.toLowerCase();
}

/**
 * Writes the folded keys of a domain that ignores case from now on. Returns which links collide and what to
 * do; undefined if none do. The transaction must be rolled back after a collision.
 */
export async function foldKeys(
  transaction: WriteTransaction,
  domainKey: string,
): Promise<string | undefined> {
  const unfolded = sql`from url_keys as own
    where own.domain_key = ${domainKey} and own.folded_key is null`;
  for await (const keys of readInBatches<Schema['url_keys']>(transaction, unfolded, ['key'])) {
    const others = await transaction
      .selectFrom('url_keys')
      .selectAll()
      .where('domain_key', '=', domainKey)
      .where('folded_key', 'in', [...new Set(keys.map(({ key }) => foldKey(key)))])
      .execute();
    const owners = new Map(others.map((other) => [other.folded_key, other]));
    const collisions: string[] = [];
    for (const own of keys) {
      const { key } = own;
      const folded_key = foldKey(key);
      const other = owners.get(folded_key);
      // A link whose code and slug differ in case needs one folded key only.
      if (other?.url_id === own.url_id) continue;
      if (other) collisions.push(`${other.key} and ${key}`);
      else {
        owners.set(folded_key, own);
        await updateWhere(transaction, 'url_keys', { domain_key: domainKey, key }, { folded_key });
      }
    }
    if (collisions.length > 0) {
      const named = collisions.slice(0, maxNamed).join(', ');
      const more = collisions.length > maxNamed ? ', and more' : '';
      return `links differ only in the case of their keys: ${named}${more}. Erase one of each pair`;
    }
    await yieldToEventLoop();
  }
  return undefined;
}
