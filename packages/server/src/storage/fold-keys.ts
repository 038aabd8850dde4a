import type { Kysely } from 'kysely';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import type { Schema } from './schema.js';

/** Two links of a domain whose keys differ in case only. */
export interface CollidingKeys {
  readonly key: string;
  readonly otherKey: string;
}

// Folding them takes some milliseconds.
const keysPerSlice = 500;

/** Returns the form of a key on a domain that ignores case. */
export function foldKey(key: string): string {
  return key.toLowerCase();
}

/**
 * Writes the folded keys of a domain that ignores case from now on. Returns the first links that collide;
 * the transaction must then be rolled back.
 */
export async function foldKeys(db: Kysely<Schema>, domainKey: string): Promise<CollidingKeys[]> {
  const keysOfDomain = db.selectFrom('url_keys').where('domain_key', '=', domainKey);
  for (let after = ''; ; ) {
    const keys = await keysOfDomain
      .select(['key', 'url_id'])
      .where('folded_key', 'is', null)
      .where('key', '>', after)
      .orderBy('key')
      .limit(keysPerSlice)
      .execute();
    const last = keys.at(-1);
    if (last === undefined) return [];
    after = last.key;
    const folded = [...new Set(keys.map(({ key }) => foldKey(key)))];
    const others = await keysOfDomain
      .select(['key', 'url_id', 'folded_key'])
      .where('folded_key', 'in', folded)
      .execute();
    const owners = new Map(others.map((other) => [other.folded_key, other]));
    const collisions: CollidingKeys[] = [];
    for (const { key, url_id } of keys) {
      const folded_key = foldKey(key);
      const other = owners.get(folded_key);
      // A link whose code and slug differ in case needs one folded key only.
      if (other?.url_id === url_id) continue;
      if (other) collisions.push({ key, otherKey: other.key });
      else {
        owners.set(folded_key, { key, url_id, folded_key });
        await db
          .updateTable('url_keys')
          .set({ folded_key })
          .where('domain_key', '=', domainKey)
          .where('key', '=', key)
          .execute();
      }
    }
    if (collisions.length > 0) return collisions;
    await yieldToEventLoop();
  }
}

/** Returns whether the links of the platform's domain are found in any case. */
export async function foldsPlatformKeys(db: Kysely<Schema>): Promise<boolean> {
  const row = await db
    .selectFrom('url_keys')
    .select('key')
    .where('domain_key', '=', '')
    .where('folded_key', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the names of links that collide, such as `Sale and sale`. */
export function describeCollisions(collisions: readonly CollidingKeys[]): string {
  const named = collisions.slice(0, 5).map(({ key, otherKey }) => `${otherKey} and ${key}`);
  return `${named.join(', ')}${collisions.length > named.length ? ', and more' : ''}`;
}
